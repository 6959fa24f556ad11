// SPDX-License-Identifier: GPL-3.0-or-later
// A run in two lines: marker and name, then what it was; its tick at the right.
#pragma once

#include <QStyledItemDelegate>

namespace batchscope::widgets {

class RunItemDelegate : public QStyledItemDelegate
{
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                     const QModelIndex& index) override;

private:
    static QRect tickRect(const QRect& item);
};

} // namespace batchscope::widgets
