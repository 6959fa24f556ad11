// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/run_item_delegate.h"

#include "widgets/look/identity.h"
#include "widgets/look/theme.h"
#include "widgets/models/run_list_model.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>

namespace batchscope::widgets {

QSize RunItemDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const
{
    return {200, option.fontMetrics.height() * 2 + 12};
}

QRect RunItemDelegate::tickRect(const QRect& item)
{
    return {item.right() - 26, item.center().y() - 7, 15, 15};
}

void RunItemDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const
{
    const Tokens& t = tokens();
    const bool ticked = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const bool hot = option.state.testFlag(QStyle::State_MouseOver);
    painter->fillRect(option.rect, ticked ? t.accent_soft : hot ? t.hover : t.panel);
    if (option.state.testFlag(QStyle::State_Selected)) {
        painter->setPen(QPen(t.accent, 1));
        painter->drawRect(QRectF(option.rect).adjusted(.5, .5, -.5, -1.5));
    }
    painter->setPen(QPen(t.grid, 1));
    painter->drawLine(option.rect.bottomLeft(), option.rect.bottomRight());
    const int line = option.fontMetrics.height();
    const QRect tick = tickRect(option.rect);
    paintMarker(*painter, QRectF(option.rect.left() + 10, option.rect.top() + 6 + (line - 11) / 2.0, 11, 11),
                identity(index.data(RunListModel::OrderRole).toInt()));
    const QRect name(option.rect.left() + 30, option.rect.top() + 5, tick.left() - option.rect.left() - 38,
                     line);
    painter->setPen(t.text);
    painter->setFont(option.font);
    painter->drawText(name, Qt::AlignLeft | Qt::AlignVCenter,
                      option.fontMetrics.elidedText(index.data().toString(), Qt::ElideRight, name.width()));
    QFont small = option.font;
    small.setPointSizeF(small.pointSizeF() - 1);
    painter->setFont(small);
    painter->setPen(t.muted);
    const QRect below = name.translated(0, line + 1);
    painter->drawText(below, Qt::AlignLeft | Qt::AlignVCenter,
                      QFontMetrics(small).elidedText(index.data(RunListModel::SubtitleRole).toString(),
                                                     Qt::ElideRight, below.width()));
    painter->setPen(QPen(ticked ? t.accent : t.muted, 1.2));
    painter->setBrush(ticked ? QBrush(t.accent) : QBrush(t.panel));
    painter->drawRoundedRect(QRectF(tick).adjusted(.5, .5, -.5, -.5), 3, 3);
    if (ticked) {
        painter->setPen(QPen(t.on_accent, 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        const QPointF c = QRectF(tick).center();
        painter->drawPolyline(QPolygonF({c + QPointF(-3.5, 0), c + QPointF(-1, 2.8), c + QPointF(3.8, -3)}));
    }
    painter->restore();
}

bool RunItemDelegate::editorEvent(QEvent* event, QAbstractItemModel* model,
                                  const QStyleOptionViewItem& option, const QModelIndex& index)
{
    bool toggle = false;
    if (event->type() == QEvent::MouseButtonRelease)
        toggle =
            tickRect(option.rect).adjusted(-6, -10, 10, 10).contains(static_cast<QMouseEvent*>(event)->pos());
    else if (event->type() == QEvent::KeyPress)
        toggle = static_cast<QKeyEvent*>(event)->key() == Qt::Key_Space;
    if (!toggle) return false;
    const bool on = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
    return model->setData(index, on ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
}

} // namespace batchscope::widgets
