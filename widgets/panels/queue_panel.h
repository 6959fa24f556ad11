// SPDX-License-Identifier: GPL-3.0-or-later
// Who waits, in which order, with predicted length, age and places won or lost.
#pragma once

#include "widgets/look/panel.h"
#include "widgets/models/queue_model.h"
#include "widgets/models/run_data.h"
#include "widgets/models/shared_selection.h"

class QStackedWidget;
class QTableView;

namespace batchscope::widgets {

class QueuePanel : public PanelBody
{
    Q_OBJECT

public:
    explicit QueuePanel(SharedSelection& selection, QWidget* parent = nullptr);
    void setRun(const RunData* run);
    // Of an ended run: the queue as it stood right before the decision (from 1).
    void setDecision(std::int64_t number);
    void refresh();
    QueueModel& model() { return *m_model; }

private:
    void show(const QueueView& queue, Nanos now, const QString& when);
    void select();
    SharedSelection& m_selection;
    QueueModel* m_model;
    QTableView* m_table;
    QStackedWidget* m_stack;
    QLabel* m_empty;
    const RunData* m_run = nullptr;
    std::int64_t m_decision = 1;
    bool m_selecting = false;
};

} // namespace batchscope::widgets
