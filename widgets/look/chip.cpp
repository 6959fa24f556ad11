// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/chip.h"

#include "widgets/look/theme.h"

#include <QPainter>
#include <algorithm>

namespace batchscope::widgets {
namespace {

constexpr int k_height = 24, k_inset = 10, k_mark = 9, k_kind_gap = 6;

const QString& partSeparator() // between the parts of a value (describePart)
{
    static const QString separator = QStringLiteral(" · ");
    return separator;
}

void paintPill(QPainter& painter, const QRect& rect, const QColor& fill, const QColor& edge)
{
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(edge.isValid() ? QPen(edge, 1) : QPen(Qt::NoPen));
    painter.setBrush(fill);
    const double radius = k_height / 2.0; // of one line; several lines keep it
    painter.drawRoundedRect(QRectF(rect).adjusted(.5, .5, -.5, -.5), radius, radius);
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
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
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

int ChipButton::kindWidth() const
{
    return fontMetrics().horizontalAdvance(m_kind) + k_kind_gap;
}

QStringList ChipButton::lines(int width) const
{
    const QFontMetrics metrics = fontMetrics();
    const int room = width - 2 * k_inset - kindWidth();
    QStringList all;
    for (const QString& part : m_value.split(partSeparator())) {
        const QString longer = all.isEmpty() ? part : all.last() + partSeparator() + part;
        if (all.isEmpty())
            all << part;
        else if (metrics.horizontalAdvance(longer) <= room)
            all.last() = longer;
        else
            all << part;
    }
    return all;
}

QSize ChipButton::sizeHint() const
{
    return {kindWidth() + fontMetrics().horizontalAdvance(m_value) + 2 * k_inset + 1, k_height};
}

QSize ChipButton::minimumSizeHint() const
{
    int widest = 0;
    for (const QString& part : m_value.split(partSeparator()))
        widest = std::max(widest, fontMetrics().horizontalAdvance(part));
    return {std::min(sizeHint().width(), kindWidth() + widest + 2 * k_inset + 1), k_height};
}

int ChipButton::heightForWidth(int width) const
{
    const auto count = static_cast<int>(lines(width).size());
    return k_height + (count - 1) * fontMetrics().lineSpacing();
}

void ChipButton::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Tokens& t = tokens();
    const bool hot = underMouse() || isDown();
    paintPill(painter, rect(), hot ? t.accent_soft : t.chip, hasFocus() ? t.accent : QColor());
    QRect line(k_inset, 0, width() - 2 * k_inset, k_height);
    painter.setPen(t.muted);
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, m_kind);
    line.setLeft(line.left() + kindWidth());
    painter.setPen(t.text);
    for (const QString& text : lines(width())) {
        // A single part that is wider than the chip (a file's name) is all that is ever shortened.
        painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                         fontMetrics().elidedText(text, Qt::ElideMiddle, line.width()));
        line.translate(0, fontMetrics().lineSpacing());
    }
}

} // namespace batchscope::widgets
