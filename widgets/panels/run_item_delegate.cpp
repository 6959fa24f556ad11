// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/run_item_delegate.h"

#include "widgets/look/identity.h"
#include "widgets/look/theme.h"
#include "widgets/models/run_list_model.h"

#include <QAbstractItemView>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

namespace batchscope::widgets {
namespace {

constexpr int k_head_inset = 10, k_head_above = 8, k_head_below = 4;

int textHeight(const QFont& font, int width, const QString& text)
{
    return QFontMetrics(font).boundingRect(QRect(0, 0, width, 1000), Qt::TextWordWrap, text).height();
}

int headHeight(const QStyleOptionViewItem& option, const QModelIndex& index)
{
    if (!RunItemDelegate::startsOccasion(index)) return 0;
    const auto* view = qobject_cast<const QAbstractItemView*>(option.widget);
    const int width = (view ? view->viewport()->width() : 200) - 2 * k_head_inset;
    return k_head_above +
           textHeight(strongFont(option.font), width, index.data(RunListModel::SessionRole).toString()) +
           textHeight(smallerFont(option.font), width, index.data(RunListModel::OccasionRole).toString()) +
           k_head_below;
}

QRect bodyOf(const QStyleOptionViewItem& option, const QModelIndex& index)
{
    return option.rect.adjusted(0, headHeight(option, index), 0, 0);
}

QString aside(const QModelIndex& index) // what stands beside or below the name
{
    return index.data(RunListModel::SubtitleRole).toString();
}

int stateWidth(const QFontMetrics& metrics, const QString& state)
{
    return state.isEmpty() ? 0 : metrics.horizontalAdvance(state) + 12 + 6;
}

int bodyWidth(const QStyleOptionViewItem& option) // between marker and tick
{
    const auto* view = qobject_cast<const QAbstractItemView*>(option.widget);
    return (view ? view->viewport()->width() : 200) - 30 - 34;
}

// Name, state and time stand in one line where it has room for them.
bool isOneLine(const QStyleOptionViewItem& option, const QModelIndex& index)
{
    const QFontMetrics small(smallerFont(option.font));
    return option.fontMetrics.horizontalAdvance(index.data().toString()) + 12 +
               stateWidth(small, index.data(RunListModel::StateRole).toString()) +
               small.horizontalAdvance(aside(index)) <=
           bodyWidth(option);
}

void paintTick(QPainter& painter, const QRect& tick, bool ticked, const Tokens& t)
{
    painter.setPen(QPen(ticked ? t.accent : t.muted, 1.2));
    painter.setBrush(ticked ? QBrush(t.accent) : QBrush(t.panel));
    painter.drawRoundedRect(QRectF(tick).adjusted(.5, .5, -.5, -.5), 3, 3);
    if (!ticked) return;
    painter.setPen(QPen(t.on_accent, 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const QPointF c = QRectF(tick).center();
    painter.drawPolyline(QPolygonF({c + QPointF(-3.5, 0), c + QPointF(-1, 2.8), c + QPointF(3.8, -3)}));
}

// "interrupted" in an outline: a run that is not whole must be seen as such.
int paintState(QPainter& painter, const QRect& line, const QString& state, const Tokens& t)
{
    if (state.isEmpty()) return 0;
    const int width = stateWidth(painter.fontMetrics(), state);
    const QRectF pill(line.left(), line.top() + .5, width - 6, line.height() - 1);
    painter.setPen(QPen(t.warn, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2);
    painter.drawText(pill, Qt::AlignCenter, state);
    return width;
}

} // namespace

bool RunItemDelegate::startsOccasion(const QModelIndex& index)
{
    return index.row() == 0 || index.sibling(index.row() - 1, 0).data(RunListModel::ExperimentRole) !=
                                   index.data(RunListModel::ExperimentRole);
}

QSize RunItemDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const int lines = isOneLine(option, index) ? 1 : 2;
    return {200, headHeight(option, index) + option.fontMetrics.height() * lines + (lines == 1 ? 10 : 12)};
}

QRect RunItemDelegate::tickRect(const QRect& body)
{
    return {body.right() - 26, body.center().y() - 7, 15, 15};
}

void RunItemDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const
{
    const Tokens& t = tokens();
    const bool ticked = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
    const QRect body = bodyOf(option, index);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->fillRect(option.rect, t.panel);
    paintHead(*painter, option, index);
    const bool hot = option.state.testFlag(QStyle::State_MouseOver);
    painter->fillRect(body, ticked ? t.accent_soft : hot ? t.hover : t.panel);
    if (option.state.testFlag(QStyle::State_Selected)) {
        painter->setPen(QPen(t.accent, 1));
        painter->drawRect(QRectF(body).adjusted(.5, .5, -.5, -1.5));
    }
    painter->setPen(QPen(t.grid, 1));
    painter->drawLine(body.bottomLeft(), body.bottomRight());
    paintLines(*painter, option, index, body);
    paintTick(*painter, tickRect(body), ticked, t);
    painter->restore();
}

void RunItemDelegate::paintHead(QPainter& painter, const QStyleOptionViewItem& option,
                                const QModelIndex& index) const
{
    if (!startsOccasion(index)) return;
    const Tokens& t = tokens();
    QRect box = option.rect.adjusted(k_head_inset, k_head_above, -k_head_inset, 0);
    const QString session = index.data(RunListModel::SessionRole).toString();
    painter.setFont(strongFont(option.font));
    painter.setPen(t.text);
    painter.drawText(box, Qt::TextWordWrap | Qt::AlignTop | Qt::AlignLeft, session);
    box.setTop(box.top() + textHeight(painter.font(), box.width(), session));
    painter.setFont(smallerFont(option.font));
    painter.setPen(t.muted);
    painter.drawText(box, Qt::TextWordWrap | Qt::AlignTop | Qt::AlignLeft,
                     index.data(RunListModel::OccasionRole).toString());
}

void RunItemDelegate::paintLines(QPainter& painter, const QStyleOptionViewItem& option,
                                 const QModelIndex& index, const QRect& body) const
{
    const Tokens& t = tokens();
    const int line = option.fontMetrics.height();
    const QString state = index.data(RunListModel::StateRole).toString();
    paintMarker(painter, QRectF(body.left() + 10, body.top() + 6 + (line - 11) / 2.0, 11, 11),
                identity(index.data(RunListModel::OrderRole).toInt()));
    const QRect name(body.left() + 30, body.top() + 5, bodyWidth(option), line);
    painter.setFont(option.font);
    painter.setPen(state.isEmpty() ? t.text : t.muted);
    painter.drawText(name, Qt::AlignLeft | Qt::AlignVCenter,
                     option.fontMetrics.elidedText(index.data().toString(), Qt::ElideRight, name.width()));
    painter.setFont(smallerFont(option.font));
    const QString text = aside(index);
    QRect rest = name.translated(0, line + 1);
    if (isOneLine(option, index)) {
        const int width =
            stateWidth(painter.fontMetrics(), state) + painter.fontMetrics().horizontalAdvance(text) + 4;
        rest = name.adjusted(name.width() - width, 0, 0, 0);
    }
    rest.setLeft(rest.left() + paintState(painter, rest, state, t));
    painter.setPen(t.muted);
    painter.drawText(rest, Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(text, Qt::ElideRight, rest.width()));
}

bool RunItemDelegate::editorEvent(QEvent* event, QAbstractItemModel* model,
                                  const QStyleOptionViewItem& option, const QModelIndex& index)
{
    bool toggle = false;
    if (event->type() == QEvent::MouseButtonRelease)
        toggle = tickRect(bodyOf(option, index))
                     .adjusted(-6, -10, 10, 10)
                     .contains(static_cast<QMouseEvent*>(event)->pos());
    else if (event->type() == QEvent::KeyPress)
        toggle = static_cast<QKeyEvent*>(event)->key() == Qt::Key_Space;
    if (!toggle) return false;
    const bool on = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
    return model->setData(index, on ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
}

} // namespace batchscope::widgets
