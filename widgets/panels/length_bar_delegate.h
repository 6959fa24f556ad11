// SPDX-License-Identifier: GPL-3.0-or-later
// A predicted length as a bar on one scale for the whole queue, with its number.
#pragma once

#include <QStyledItemDelegate>

namespace batchscope::widgets {

class LengthBarDelegate : public QStyledItemDelegate
{
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
};

} // namespace batchscope::widgets
