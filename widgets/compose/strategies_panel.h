// SPDX-License-Identifier: GPL-3.0-or-later
// The list of strategy cards.
#pragma once

#include "widgets/compose/strategy_card.h"
#include "widgets/look/panel.h"

class QVBoxLayout;

namespace batchscope::widgets {

class StrategiesPanel : public PanelBody
{
    Q_OBJECT

public:
    StrategiesPanel(SessionEditor& editor, const Registry& registry, QWidget* parent = nullptr);
    void setContext(const CheckContext& context, const std::optional<QStringList>& ready_predictors = {});
    const std::vector<StrategyCard*>& cards() const { return m_cards; }
    int refused() const;

Q_SIGNALS:
    void checked(); // the cards follow the document again
    void sweepAsked(int strategy);

private:
    void follow();
    void buildAddMenu(QMenu& menu);
    SessionEditor& m_editor;
    const Registry& m_registry;
    CheckContext m_context;
    std::optional<QStringList> m_ready;
    QVBoxLayout* m_list;
    QLabel *m_empty, *m_notes;
    Section* m_about;
    std::vector<StrategyCard*> m_cards;
};

// Ready-made strategies whose parts the registry has: what "Add strategy" offers.
std::vector<Strategy> strategyTemplates(const Registry& registry);

} // namespace batchscope::widgets
