// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compose/strategies_panel.h"

#include "widgets/look/formats.h"
#include "widgets/look/glyph.h"
#include "widgets/look/scroll_column.h"
#include "widgets/look/theme.h"

#include <QLabel>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

namespace batchscope::widgets {

std::vector<Strategy> strategyTemplates(const Registry& registry)
{
    const auto rows16 = [](const char* type) { return PartSpec{type, {{"rows", std::int64_t{16}}}}; };
    PartSpec grouped{"grouped", {{"group", std::int64_t{256}}, {"rows", std::int64_t{16}}}};
    PartSpec grouped_vbs = grouped;
    grouped_vbs.params["vbs"] = std::string("table");
    const PartSpec continuous{"continuous", {{"slots", std::int64_t{16}}}};
    PartSpec preemptive = continuous;
    preemptive.params["preemption"] = std::string("recompute");
    std::vector<Strategy> all{
        {"Vanilla, static 16", {"none", {}}, {"fcfs", {}}, rows16("static"), {"none", {}}, {}, {}, {}},
        {"Shortest first, oracle", {"oracle", {}}, {"sjf", {}}, rows16("static"), {"none", {}}, {}, {}, {}},
        {"SeqSch, oracle", {"oracle", {}}, {"sjf", {}}, grouped, {"none", {}}, {}, {}, {}},
        {"SeqSch, oracle, VBS + FCR", {"oracle", {}}, {"sjf", {}}, grouped_vbs, {"fcr", {}}, {}, {}, {}},
        {"SeqSch, pooled MLP + FCR", {"pooled-mlp", {}}, {"sjf", {}}, grouped, {"fcr", {}}, {}, {}, {}},
        {"Continuous, 16 slots", {"none", {}}, {"fcfs", {}}, continuous, {"none", {}}, {}, {}, {}},
        {"Continuous, shortest first, oracle",
         {"oracle", {}},
         {"sjf", {}},
         continuous,
         {"none", {}},
         {},
         {},
         {}},
        {"Continuous, SRPT, oracle", {"oracle", {}}, {"srpt", {}}, preemptive, {"none", {}}, {}, {}, {}}};
    std::erase_if(all, [&registry](const Strategy& s) {
        return !registry.find(PartKind::Predictor, s.predictor.type) ||
               !registry.find(PartKind::Ordering, s.ordering.type) ||
               !registry.find(PartKind::Batching, s.batching.type) ||
               !registry.find(PartKind::Correction, s.correction.type);
    });
    return all;
}

StrategiesPanel::StrategiesPanel(SessionEditor& editor, const Registry& registry, QWidget* parent)
    : PanelBody(tr("Strategies"), parent), m_editor(editor), m_registry(registry), m_list(new QVBoxLayout),
      m_empty(
          emptyHint(tr("A session compares strategies on the same work. Add one to begin, then a second to "
                       "compare it with."),
                    this)),
      m_notes(mutedLabel({}, this)), m_about(new Section(tr("About this session"), this))
{
    QVBoxLayout* column = makeScrollColumn(*this);
    column->setContentsMargins(k_gap_m, k_gap_m, k_gap_m, k_gap_m);
    column->setSpacing(k_gap_m);
    m_list->setSpacing(k_gap_m);
    column->addLayout(m_list);
    column->addWidget(m_empty);
    auto* add = new QToolButton(this);
    add->setObjectName(QStringLiteral("bar"));
    add->setText(tr("Add strategy"));
    add->setIcon(glyphIcon(Glyph::Plus, Ink::Muted));
    add->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    add->setPopupMode(QToolButton::InstantPopup);
    add->setStyleSheet(QStringLiteral("QToolButton::menu-indicator { image: none; }"));
    auto* menu = new QMenu(add);
    add->setMenu(menu);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] { buildAddMenu(*menu); });
    column->addWidget(add, 0, Qt::AlignLeft);
    column->addStretch(1);
    m_notes->setWordWrap(true);
    m_notes->setTextFormat(Qt::PlainText);
    m_notes->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_about->body()->addWidget(m_notes);
    column->addWidget(m_about);
    connect(&editor, &SessionEditor::documentChanged, this, &StrategiesPanel::follow);
    follow();
}

void StrategiesPanel::setContext(const CheckContext& context,
                                 const std::optional<QStringList>& ready_predictors)
{
    m_ready = ready_predictors;
    m_context = context;
    follow();
}

void StrategiesPanel::follow()
{
    const std::size_t wanted = m_editor.document().strategies.size();
    while (m_cards.size() > wanted) {
        m_cards.back()->hide();
        m_cards.back()->deleteLater(); // its own menu may have asked for it
        m_cards.pop_back();
    }
    while (m_cards.size() < wanted) {
        auto* card = new StrategyCard(m_editor, m_registry, static_cast<int>(m_cards.size()), this);
        connect(card, &StrategyCard::sweepAsked, this, &StrategiesPanel::sweepAsked);
        m_list->addWidget(card);
        m_cards.push_back(card);
    }
    for (std::size_t i = 0; i < wanted; ++i)
        m_cards[i]->follow(static_cast<int>(i), m_context, m_ready);
    m_empty->setVisible(wanted == 0);
    m_notes->setText(QString::fromStdString(m_editor.document().notes));
    m_about->setVisible(!m_editor.document().notes.empty());
    const int bad = refused();
    setNote(bad > 0 ? tr("%1 of %2 refused").arg(bad).arg(wanted)
                    : counted(static_cast<std::int64_t>(wanted), tr("1 strategy"), tr("%1 compared")));
    Q_EMIT checked();
}

int StrategiesPanel::refused() const
{
    return static_cast<int>(std::count_if(m_cards.begin(), m_cards.end(),
                                          [](const StrategyCard* card) { return card->isRefused(); }));
}

void StrategiesPanel::buildAddMenu(QMenu& menu)
{
    menu.clear();
    for (const Strategy& strategy : strategyTemplates(m_registry))
        menu.addAction(QString::fromStdString(strategy.name), this,
                       [this, strategy] { m_editor.addStrategy(strategy); });
}

} // namespace batchscope::widgets
