// SPDX-License-Identifier: GPL-3.0-or-later
// A stored run in the list: marker, name, below it when and how it ended, at the right the tick. The first of
// a press of Run has a head above it: the session, its date, the number of requests and what ran it.
#pragma once

#include <QStyledItemDelegate>

namespace batchscope::widgets {

class RunItemDelegate : public QStyledItemDelegate
{
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                     const QModelIndex& index) override;

    static bool startsOccasion(const QModelIndex& index); // not of the same press of Run as the row above
    static QRect tickRect(const QRect& body);

private:
    void paintHead(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index) const;
    void paintLines(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index,
                    const QRect& body) const;
};

} // namespace batchscope::widgets
