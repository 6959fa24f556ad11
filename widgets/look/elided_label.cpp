// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/elided_label.h"

#include <QPainter>
#include <QStyle>

namespace batchscope::widgets {

QSize ElidedLabel::minimumSizeHint() const
{
    return {fontMetrics().averageCharWidth() * 4, QLabel::minimumSizeHint().height()};
}

void ElidedLabel::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const QRect box = contentsRect();
    const QString shown = fontMetrics().elidedText(text(), Qt::ElideRight, box.width());
    if (shown != text() && toolTip() != text()) setToolTip(text());
    style()->drawItemText(&painter, box, static_cast<int>(alignment()), palette(), isEnabled(), shown,
                          QPalette::WindowText);
}

SpareLabel::SpareLabel(QWidget* parent) : QLabel(parent)
{
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
}

bool SpareLabel::isShownWhole() const
{
    return fontMetrics().horizontalAdvance(text()) <= contentsRect().width();
}

void SpareLabel::paintEvent(QPaintEvent* event)
{
    if (isShownWhole()) QLabel::paintEvent(event);
}

} // namespace batchscope::widgets
