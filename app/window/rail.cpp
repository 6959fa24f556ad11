// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/rail.h"

#include "widgets/look/theme.h"

#include <QAction>
#include <QPainter>
#include <QVBoxLayout>

namespace batchscope::window {

RailButton::RailButton(QAction* action, widgets::Glyph glyph, QWidget* parent)
    : QAbstractButton(parent), m_glyph(glyph)
{
    setCheckable(true);
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setText(action->text().remove(QLatin1Char('&')));
    setAccessibleName(text());
    setToolTip(action->toolTip());
    setChecked(action->isChecked());
    connect(action, &QAction::toggled, this, &RailButton::setChecked);
    connect(this, &RailButton::clicked, action, [this, action] {
        action->trigger();
        setChecked(action->isChecked());
    });
}

void RailButton::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const widgets::Tokens& t = widgets::tokens();
    if (isChecked()) {
        painter.fillRect(rect(), t.accent_soft);
        painter.fillRect(QRect(0, 0, 3, height()), t.accent);
    } else if (underMouse()) {
        painter.fillRect(rect(), t.hover);
    }
    const QColor color = isChecked() ? t.text : t.muted;
    const int size = 18;
    widgets::paintGlyph(painter, m_glyph, QRectF((width() - size) / 2.0, 11, size, size), color);
    painter.setFont(widgets::smallerFont(font()));
    painter.setPen(color);
    painter.drawText(QRect(0, 32, width(), 20), Qt::AlignCenter, text());
    if (hasFocus()) {
        painter.setPen(QPen(t.accent, 1));
        painter.drawRect(rect().adjusted(1, 1, -2, -2));
    }
}

Rail::Rail(QWidget* parent) : QFrame(parent), m_layout(new QVBoxLayout(this))
{
    setObjectName(QStringLiteral("rail"));
    setAccessibleName(tr("Perspectives"));
    m_layout->setContentsMargins(0, widgets::k_gap_m, 1, 0);
    m_layout->setSpacing(2);
    m_layout->addStretch(1);
}

void Rail::addPage(QAction* action, widgets::Glyph glyph)
{
    m_layout->insertWidget(m_layout->count() - 1, new RailButton(action, glyph, this));
}

} // namespace batchscope::window
