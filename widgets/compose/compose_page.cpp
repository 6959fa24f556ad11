// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compose/compose_page.h"

#include "widgets/compose/memory_plan.h"
#include "widgets/compose/model_panel.h"
#include "widgets/compose/strategies_panel.h"
#include "widgets/compose/workload_panel.h"
#include "widgets/look/formats.h"

namespace batchscope::widgets {

ComposePage::ComposePage(SessionEditor& editor, const Registry& registry, const SimulatorChoices& choices,
                         QWidget* parent)
    : DockPage(QStringLiteral("composePage"), parent), m_editor(editor), m_registry(registry),
      m_workload(new WorkloadPanel(editor, this)), m_strategies(new StrategiesPanel(editor, registry, this)),
      m_model(new ModelPanel(editor, choices, this))
{
    setAccessibleName(tr("Compose"));
    setCentre(new Panel(m_strategies, this));
    addPanel(m_workload, QStringLiteral("workloadDock"), Qt::LeftDockWidgetArea, 372);
    addPanel(m_model, QStringLiteral("modelDock"), Qt::RightDockWidgetArea, 344);
    connect(&editor, &SessionEditor::documentChanged, this, &ComposePage::follow);
    follow();
}

void ComposePage::setWorkloadFacts(const WorkloadFacts& facts)
{
    m_workload_facts = facts;
    m_workload->setFacts(facts);
    follow();
}

void ComposePage::setModelFacts(const ModelFacts& facts)
{
    m_model_facts = facts;
    m_model->setFacts(facts);
    follow();
}

void ComposePage::follow()
{
    m_simulated = m_editor.document().backend.type == sessions::BackendSpec::Type::Simulated;
    std::optional<QStringList> ready;
    if (!m_simulated && m_model_facts.known && m_model_facts.error.isEmpty()) {
        ready.emplace();
        for (const PredictorFacts& predictor : m_model_facts.predictors)
            if (predictor.usable) ready->append(predictor.type);
    }
    m_strategies->setContext({m_simulated, m_workload_facts.has_predictions, m_workload_facts.has_lengths},
                             ready);
    m_model->setPlan(m_simulated
                         ? MemoryPlan{}
                         : planMemory(m_editor.document(), m_registry, m_workload_facts, m_model_facts));
}

QString ComposePage::refusal() const
{
    if (m_editor.document().strategies.empty()) return tr("Add a strategy first.");
    if (const int bad = m_strategies->refused(); bad > 0)
        return counted(bad, tr("One strategy cannot run: its card says why."),
                       tr("%1 strategies cannot run: their cards say why."));
    if (m_workload_facts.known && !m_workload_facts.error.isEmpty()) return m_workload_facts.error;
    if (m_model_facts.known && !m_model_facts.error.isEmpty()) return m_model_facts.error;
    return {};
}

} // namespace batchscope::widgets
