// SPDX-License-Identifier: GPL-3.0-or-later
// The Compare perspective: which runs, what the comparison comes to and why, the delta table, and the same
// runs as padding maps on shared axes and as completion times.
#pragma once

#include "sessions/published.h"
#include "sessions/repetitions.h"
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
class PanelBody;
class PublishedPanel;
class ReasonsPanel;
class RunListPanel;
class VerdictCard;

struct ComparedRuns
{
    std::vector<std::unique_ptr<RunData>> runs; // one a column, of repeated ones the middle; baseline first
    sessions::RepeatedComparison comparison;
    std::vector<sessions::Repeated> published; // what their session repeats from elsewhere, beside them
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
    VerdictCard& verdict() { return *m_verdict; }
    ReasonsPanel& reasons() { return *m_reasons; }
    DeltaTable& tableView() { return *m_table; }
    PublishedPanel& published() { return *m_published; }
    RunListPanel& list() { return *m_list; }

Q_SIGNALS:
    void reportAsked();
    void copyAsked();

private:
    QWidget* buildCentre();
    QWidget* buildTable(QWidget* centre);
    QWidget* buildCharts(QWidget* centre);
    void tellRepetitions();
    void showMaps();
    RunListPanel* m_list;
    ReasonsPanel* m_reasons;
    PublishedPanel* m_published;
    QWidget* m_published_frame = nullptr;
    ComparisonModel* m_model;
    DeltaTable* m_table;
    CdfView* m_cdf;
    QStackedWidget* m_stack;
    QLabel* m_hint;
    VerdictCard* m_verdict;
    PanelBody* m_table_body = nullptr;
    QWidget *m_charts = nullptr, *m_maps;
    QGridLayout* m_map_grid;
    std::vector<std::unique_ptr<RunData>> m_compared;
};

} // namespace batchscope::widgets
