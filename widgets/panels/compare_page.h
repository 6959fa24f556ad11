// SPDX-License-Identifier: GPL-3.0-or-later
// The Compare perspective: which runs, whether they may be compared, the delta table and why, and the same
// runs as padding maps on shared axes and as completion times.
#pragma once

#include "sessions/report.h"
#include "widgets/models/run_data.h"
#include "widgets/models/run_list_model.h"
#include "widgets/panels/dock_page.h"

#include <memory>
#include <vector>

class QGridLayout;
class QLabel;
class QSplitter;
class QStackedWidget;

namespace batchscope::widgets {

class CdfView;
class ComparisonModel;
class DeltaTable;
class PaddingMapView;
class RunListPanel;

struct ComparedRuns
{
    std::vector<std::unique_ptr<RunData>> runs; // the first is the baseline
    sessions::Comparison comparison;
};

class ComparePage : public DockPage
{
    Q_OBJECT

public:
    explicit ComparePage(RunListModel& runs, QWidget* parent = nullptr);
    void setCompared(ComparedRuns compared);
    void setBusy(const QString& text); // while runs are read; empty: done
    const ComparisonModel& table() const { return *m_model; }
    const std::vector<std::unique_ptr<RunData>>& compared() const { return m_compared; }
    QString comparability() const;
    QString why() const;
    RunListPanel& list() { return *m_list; }

Q_SIGNALS:
    void reportAsked();
    void copyAsked();

private:
    QWidget* buildCentre();
    void tellComparability();
    void showMaps();
    RunListPanel* m_list;
    ComparisonModel* m_model;
    DeltaTable* m_table;
    CdfView* m_cdf;
    QStackedWidget* m_stack;
    QLabel *m_hint, *m_verdict, *m_differences, *m_why;
    class PanelBody* m_table_body = nullptr;
    QWidget* m_maps;
    QGridLayout* m_map_grid;
    std::vector<std::unique_ptr<RunData>> m_compared;
};

// "comparable", or the number of differences and each of them in words.
struct Comparability
{
    bool same = true;
    QString details;
};
Comparability comparabilityOf(const sessions::Comparison& comparison);

} // namespace batchscope::widgets
