// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compose/strategy_card.h"

#include "sessions/session_document.h"
#include "widgets/compose/form.h"
#include "widgets/compose/part_editor.h"
#include "widgets/look/chip.h"
#include "widgets/look/flow_layout.h"
#include "widgets/look/glyph.h"
#include "widgets/look/identity.h"
#include "widgets/look/panel.h"
#include "widgets/look/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>

namespace batchscope::widgets {

using sessions::partOf;

namespace {

constexpr int k_mark_room = 20;

QString kindTitle(PartKind kind)
{
    switch (kind) {
    case PartKind::Predictor:
        return StrategyCard::tr("predictor");
    case PartKind::Ordering:
        return StrategyCard::tr("ordering");
    case PartKind::Batching:
        return StrategyCard::tr("batching");
    case PartKind::Correction:
        return StrategyCard::tr("correction");
    }
    return {};
}

} // namespace

StrategyCard::StrategyCard(SessionEditor& editor, const Registry& registry, int index, QWidget* parent)
    : QFrame(parent), m_editor(editor), m_registry(registry), m_index(index), m_name(new QLineEdit(this)),
      m_problem(new QLabel(this)), m_cap(new ChipButton(tr("cap"), this))
{
    setObjectName(QStringLiteral("card"));
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    m_name->setObjectName(QStringLiteral("cardName"));
    m_name->setAccessibleName(tr("Name of the strategy"));
    auto* more = new QToolButton(this);
    more->setObjectName(QStringLiteral("flat"));
    more->setIcon(glyphIcon(Glyph::More, Ink::Muted));
    more->setAccessibleName(tr("More for this strategy"));
    more->setToolTip(tr("Duplicate, move, sweep, remove"));
    more->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(more);
    more->setMenu(menu);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] { buildMenu(*menu); });
    auto* head = new QHBoxLayout;
    head->setContentsMargins(k_mark_room, 0, 0, 0);
    head->addWidget(m_name, 1);
    head->addWidget(more);
    auto* flow_box = new QWidget(this);
    auto* flow = new FlowLayout(6, flow_box);
    for (const PartKind kind : sessions::k_part_kinds) {
        auto* chip_button = new ChipButton(kindTitle(kind), flow_box);
        m_chips[static_cast<std::size_t>(kind)] = chip_button;
        flow->addWidget(chip_button);
        if (kind != PartKind::Correction) {
            QLabel* arrow = mutedLabel(QStringLiteral("▸"), flow_box);
            arrow->setFixedHeight(chip_button->sizeHint().height());
            flow->addWidget(arrow);
        }
        connect(chip_button, &ChipButton::clicked, this, [this, kind] { openPart(kind); });
    }
    flow->addWidget(m_cap);
    m_cap->setToolTip(tr("Output tokens a request may have at most"));
    connect(m_cap, &ChipButton::clicked, this, &StrategyCard::openCap);
    m_problem->setWordWrap(true);
    m_problem->setTextFormat(Qt::PlainText);
    setStyleFlag(m_problem, "warn", true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(k_gap_l, k_gap_s, k_gap_s, k_gap_m);
    layout->setSpacing(k_gap_s);
    layout->addLayout(head);
    layout->addWidget(flow_box);
    layout->addWidget(m_problem);
    connect(m_name, &QLineEdit::editingFinished, this, [this] {
        const std::string name = m_name->text().trimmed().toStdString();
        if (name.empty() || name == strategy().name)
            return m_name->setText(QString::fromStdString(strategy().name));
        edit(tr("rename a strategy"), {},
             [&](Strategy& s) { s.name = freeStrategyName(m_editor.document(), name); });
    });
}

const Strategy& StrategyCard::strategy() const
{
    return m_editor.document().strategies.at(static_cast<std::size_t>(m_index));
}

void StrategyCard::edit(const QString& what, const QString& merge,
                        const std::function<void(Strategy&)>& change)
{
    const auto index = static_cast<std::size_t>(m_index);
    m_editor.change(
        what, [&](sessions::SessionDocument& document) { change(document.strategies.at(index)); }, merge);
}

void StrategyCard::follow(int index, const CheckContext& context, const std::optional<QStringList>& ready)
{
    m_index = index;
    const Strategy& s = strategy();
    const QString name = QString::fromStdString(s.name);
    setAccessibleName(tr("Strategy %1").arg(name));
    if (!m_name->hasFocus() || m_name->text().trimmed() != name) m_name->setText(name);
    for (const PartKind kind : sessions::k_part_kinds) {
        ChipButton& button = chip(kind);
        button.setValue(QString::fromStdString(describePart(partOf(s, kind), kind, m_registry)));
        const PartDescriptor* part = m_registry.find(kind, partOf(s, kind).type);
        button.setToolTip(button.value() + QLatin1Char('\n') +
                          (part ? QString::fromStdString(part->help) : tr("Not known here")));
    }
    m_cap->setValue(tr("%1 tokens").arg(s.limits.max_new_tokens));
    QStringList lines;
    m_refused = false;
    for (const Problem& problem : checkStrategy(s, m_registry, context)) {
        const bool refused = problem.severity == Severity::Refused;
        m_refused |= refused;
        lines << (refused ? tr("Refused: %1") : tr("Note: %1")).arg(QString::fromStdString(problem.message));
    }
    const PartDescriptor* predictor = m_registry.find(PartKind::Predictor, s.predictor.type);
    if (predictor && predictor->model_bound && ready &&
        !ready->contains(QString::fromStdString(s.predictor.type))) {
        m_refused = true;
        lines << tr("Refused: no %1 predictor lies trained in the model's folder. Train one with "
                    "batchscope-cli "
                    "train, or choose oracle, constant or none.")
                     .arg(QString::fromStdString(s.predictor.type));
    }
    m_problem->setText(lines.join(QLatin1Char('\n')));
    m_problem->setVisible(!lines.isEmpty());
    setStyleFlag(m_problem, "warn", m_refused);
    setStyleFlag(m_problem, "muted", !m_refused);
    setStyleFlag(this, "refused", m_refused);
    update();
}

QString StrategyCard::problemText() const
{
    return m_problem->text();
}

void StrategyCard::openPart(PartKind kind)
{
    auto* part_editor = new PartEditor(m_registry, kind, partOf(strategy(), kind), this);
    connect(
        part_editor, &PartEditor::edited, this, [this, kind](const PartSpec& spec, const QString& parameter) {
            const QString name = QString::fromStdString(strategy().name);
            const QString what = parameter.isEmpty() ? tr("change the %1 of %2").arg(kindTitle(kind), name)
                                                     : tr("change %1 of %2").arg(parameter, name);
            const QString merge =
                parameter.isEmpty() ? QString()
                                    : QStringLiteral("%1/%2/%3").arg(m_index).arg(kindTitle(kind), parameter);
            edit(what, merge, [&](Strategy& s) { partOf(s, kind) = spec; });
        });
    part_editor->openUnder(&chip(kind));
}

void StrategyCard::openCap()
{
    auto* popup = new QFrame(this, Qt::Popup | Qt::FramelessWindowHint);
    popup->setObjectName(QStringLiteral("popup"));
    popup->setAttribute(Qt::WA_DeleteOnClose);
    auto* column = new QVBoxLayout(popup);
    auto* form = new Form;
    column->addLayout(form);
    QSpinBox* box = spinBox(1, 65536, popup);
    box->setSuffix(tr(" tokens"));
    box->setValue(strategy().limits.max_new_tokens);
    form->addField(tr("Output tokens at most"), box);
    connect(box, &QSpinBox::valueChanged, this, [this](int cap) {
        edit(tr("change the cap of %1").arg(QString::fromStdString(strategy().name)),
             QStringLiteral("%1/cap").arg(m_index), [&](Strategy& s) { s.limits.max_new_tokens = cap; });
    });
    popup->adjustSize();
    popup->move(m_cap->mapToGlobal(QPoint(0, m_cap->height() + k_gap_s)));
    popup->show();
    box->setFocus();
}

void StrategyCard::buildMenu(QMenu& menu)
{
    menu.clear();
    const int last = static_cast<int>(m_editor.document().strategies.size()) - 1;
    menu.addAction(tr("Duplicate"), this, [this] { m_editor.duplicateStrategy(m_index); });
    menu.addAction(tr("Move up"), this, [this] { m_editor.moveStrategy(m_index, m_index - 1); })
        ->setEnabled(m_index > 0);
    menu.addAction(tr("Move down"), this, [this] { m_editor.moveStrategy(m_index, m_index + 1); })
        ->setEnabled(m_index < last);
    menu.addAction(tr("Sweep…"), this, [this] { Q_EMIT sweepAsked(m_index); })
        ->setToolTip(tr("Vary a parameter over a range, on the simulator"));
    menu.addSeparator();
    menu.addAction(tr("Remove"), this, [this] { m_editor.removeStrategy(m_index); });
}

void StrategyCard::paintEvent(QPaintEvent* event)
{
    QFrame::paintEvent(event);
    QPainter painter(this);
    const double middle = m_name->geometry().center().y() + .5;
    paintMarker(painter, QRectF(k_gap_l, middle - 6, 12, 12), identity(m_index));
}

} // namespace batchscope::widgets
