// SPDX-License-Identifier: GPL-3.0-or-later
// The Compose perspective: workload, strategies, model, one document.
#pragma once

#include "widgets/compose/facts.h"
#include "widgets/models/session_editor.h"
#include "widgets/panels/dock_page.h"

namespace batchscope::widgets {

class ModelPanel;
class StrategiesPanel;
class WorkloadPanel;

class ComposePage : public DockPage
{
    Q_OBJECT

public:
    ComposePage(SessionEditor& editor, const Registry& registry, const SimulatorChoices& choices,
                QWidget* parent = nullptr);
    void setWorkloadFacts(const WorkloadFacts& facts);
    void setModelFacts(const ModelFacts& facts);
    StrategiesPanel& strategies() { return *m_strategies; }
    // Why Run would be refused now; empty: it can run.
    QString refusal() const;

private:
    void follow();
    SessionEditor& m_editor;
    const Registry& m_registry;
    WorkloadPanel* m_workload;
    StrategiesPanel* m_strategies;
    ModelPanel* m_model;
    WorkloadFacts m_workload_facts;
    ModelFacts m_model_facts;
    bool m_simulated = false;
};

} // namespace batchscope::widgets
