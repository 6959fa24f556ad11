// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/top_bar.h"

#include "widgets/look/chip.h"
#include "widgets/look/elided_label.h"
#include "widgets/look/glyph.h"
#include "widgets/look/panel.h"
#include "widgets/look/theme.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

namespace batchscope::window {

using widgets::Chip;
using widgets::Glyph;
using widgets::k_gap_m;

namespace {

// A push button that does what an action does, and looks as it stands.
QPushButton* buttonFor(QAction* action, QWidget* parent)
{
    auto* button = new QPushButton(parent);
    const auto follow = [button, action] {
        button->setText(action->text().remove(QLatin1Char('&')));
        button->setIcon(action->icon());
        button->setEnabled(action->isEnabled());
        button->setToolTip(action->toolTip());
        button->setAccessibleName(button->text());
    };
    QObject::connect(action, &QAction::changed, button, follow);
    QObject::connect(button, &QPushButton::clicked, action, &QAction::trigger);
    follow();
    return button;
}

} // namespace

TopBar::TopBar(QAction* run, QAction* pause, QAction* step, QAction* stop, QWidget* parent)
    : QFrame(parent), m_name(new widgets::ElidedLabel(this)), m_file(new widgets::SpareLabel(this)),
      m_model(new Chip(tr("Model"), this)), m_device(new Chip(tr("Device"), this)),
      m_provenance(new Chip(tr("Provenance"), this)), m_memory(new Chip(tr("Memory"), this))
{
    setObjectName(QStringLiteral("topBar"));
    setFixedHeight(45);
    m_name->setObjectName(QStringLiteral("sessionName"));
    widgets::setStyleFlag(m_file, "muted", true);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(widgets::k_gap_l, 0, widgets::k_gap_l, 0);
    row->setSpacing(k_gap_m);
    row->addWidget(m_name);
    row->addWidget(m_file, 1);
    QPushButton* primary = buttonFor(run, this);
    primary->setObjectName(QStringLiteral("primary"));
    for (QPushButton* button :
         {primary, buttonFor(pause, this), buttonFor(step, this), buttonFor(stop, this)})
        row->addWidget(button);
    row->addSpacing(k_gap_m);
    for (Chip* chip : {m_model, m_device, m_provenance, m_memory})
        row->addWidget(chip);
    for (Chip* chip : {m_model, m_device, m_provenance, m_memory})
        chip->hide();
}

void TopBar::setSession(const QString& name, const QString& file, bool changed)
{
    m_name->setText(changed ? name + QStringLiteral(" *") : name);
    m_name->setAccessibleName(changed ? tr("Session %1, changed").arg(name) : tr("Session %1").arg(name));
    m_file->setText(file);
    m_name->setToolTip(file);
}

void TopBar::setModel(const QString& text)
{
    m_model->setText(text);
    m_model->setMark(widgets::tokens().muted, false);
}

void TopBar::setDevice(const QString& text)
{
    m_device->setText(text);
}

void TopBar::setProvenance(const QString& text, bool measured)
{
    m_provenance->setText(text);
    m_provenance->setMark(measured ? widgets::tokens().good : widgets::tokens().accent, measured);
    m_provenance->setToolTip(measured ? tr("Times are measured on this machine")
                                      : tr("Times come from a cost model, not from a clock"));
}

void TopBar::setMemory(const QString& text)
{
    m_memory->setText(text);
}

} // namespace batchscope::window
