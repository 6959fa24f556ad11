// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/chip.h"

#include "widgets/look/theme.h"

#include <QPainter>

namespace batchscope::widgets {
namespace {

constexpr int k_height = 24, k_inset = 10, k_mark = 9;

void paintPill(QPainter& painter, const QRect& rect, const QColor& fill, const QColor& edge)
{
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(edge.isValid() ? QPen(edge, 1) : QPen(Qt::NoPen));
    painter.setBrush(fill);
    painter.drawRoundedRect(QRectF(rect).adjusted(.5, .5, -.5, -.5), rect.height() / 2.0,
                            rect.height() / 2.0);
}

} // namespace

Chip::Chip(const QString& name, QWidget* parent) : QWidget(parent), m_name(name)
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setAccessibleName(name);
}

void Chip::setText(const QString& text)
{
    if (text == m_text) return;
    m_text = text;
    setAccessibleName(m_name + QStringLiteral(": ") + text);
    setVisible(!text.isEmpty());
    updateGeometry();
    update();
}

void Chip::setMark(const QColor& color, bool filled)
{
    m_mark = color;
    m_filled = filled;
    updateGeometry();
    update();
}

QSize Chip::sizeHint() const
{
    const int mark = m_mark.isValid() ? k_mark + 5 : 0;
    return {fontMetrics().horizontalAdvance(m_text) + 2 * k_inset + mark + 1, k_height};
}

QSize Chip::minimumSizeHint() const
{
    return {48, k_height};
}

void Chip::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Tokens& t = tokens();
    paintPill(painter, rect(), t.chip, {});
    QRect box = rect().adjusted(k_inset, 0, -k_inset, 0);
    if (m_mark.isValid()) {
        const QRectF dot(box.left(), box.center().y() - k_mark / 2.0 + .5, k_mark, k_mark);
        painter.setPen(m_filled ? QPen(Qt::NoPen) : QPen(m_mark, 1.6));
        painter.setBrush(m_filled ? QBrush(m_mark) : QBrush(Qt::NoBrush));
        painter.drawEllipse(dot.adjusted(1, 1, -1, -1));
        box.setLeft(box.left() + k_mark + 5);
    }
    painter.setPen(t.text);
    painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(m_text, Qt::ElideRight, box.width()));
}

ChipButton::ChipButton(const QString& kind, QWidget* parent) : QAbstractButton(parent), m_kind(kind)
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::PointingHandCursor);
    setAttribute(Qt::WA_Hover);
}

void ChipButton::setValue(const QString& value)
{
    m_value = value;
    setText(m_kind + QLatin1Char(' ') + value);
    setAccessibleName(text());
    updateGeometry();
    update();
}

QSize ChipButton::sizeHint() const
{
    const QFontMetrics metrics = fontMetrics();
    return {metrics.horizontalAdvance(m_kind) + metrics.horizontalAdvance(m_value) + 2 * k_inset + 7,
            k_height};
}

QSize ChipButton::minimumSizeHint() const
{
    return {std::min(sizeHint().width(), 120), k_height};
}

void ChipButton::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Tokens& t = tokens();
    const bool hot = underMouse() || isDown();
    paintPill(painter, rect(), hot ? t.accent_soft : t.chip, hasFocus() ? t.accent : QColor());
    QRect box = rect().adjusted(k_inset, 0, -k_inset, 0);
    painter.setPen(t.muted);
    painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter, m_kind);
    box.setLeft(box.left() + fontMetrics().horizontalAdvance(m_kind) + 6);
    painter.setPen(t.text);
    painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(m_value, Qt::ElideRight, box.width()));
}

} // namespace batchscope::widgets
