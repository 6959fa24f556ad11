// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/length_bar_delegate.h"

#include "widgets/look/theme.h"
#include "widgets/models/queue_model.h"

#include <QPainter>

namespace batchscope::widgets {

void LengthBarDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                              const QModelIndex& index) const
{
    QStyleOptionViewItem plain(option);
    initStyleOption(&plain, index);
    plain.text.clear();
    const QWidget* widget = option.widget;
    widget->style()->drawControl(QStyle::CE_ItemViewItem, &plain, painter, widget);
    const Tokens& t = tokens();
    const QVariant predicted = index.data(QueueModel::PredictedRole);
    const int number_width = option.fontMetrics.horizontalAdvance(QStringLiteral("0000"));
    const QRect box = option.rect.adjusted(8, 0, -4, 0);
    const QRect number(box.right() - number_width, box.top(), number_width, box.height());
    painter->save();
    if (predicted.isValid()) {
        const auto* model = qobject_cast<const QueueModel*>(index.model());
        const int most = model ? model->largestPrediction() : predicted.toInt();
        const double room = number.left() - 6 - box.left();
        const double length = std::max(2.0, room * predicted.toInt() / std::max(most, 1));
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(Qt::NoPen);
        painter->setBrush(t.useful);
        painter->drawRoundedRect(QRectF(box.left(), box.center().y() - 3, length, 7), 2, 2);
    }
    painter->setPen(predicted.isValid() ? t.text : t.muted);
    painter->drawText(number, Qt::AlignRight | Qt::AlignVCenter, index.data().toString());
    painter->restore();
}

} // namespace batchscope::widgets
