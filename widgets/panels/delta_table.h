// SPDX-License-Identifier: GPL-3.0-or-later
// The view of ComparisonModel: value and, beside it, arrow and words of the change.
#pragma once

#include "widgets/models/comparison_model.h"

#include <QHeaderView>
#include <QStyledItemDelegate>
#include <QTableView>

namespace batchscope::widgets {

class DeltaDelegate : public QStyledItemDelegate
{
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
};

class RunHeader : public QHeaderView // a run's marker before its name
{
    Q_OBJECT

public:
    explicit RunHeader(QWidget* parent = nullptr);

protected:
    void paintSection(QPainter* painter, const QRect& rect, int section) const override;
};

class DeltaTable : public QTableView
{
    Q_OBJECT

public:
    explicit DeltaTable(ComparisonModel& model, QWidget* parent = nullptr);
    int changeWidth(int column) const; // pixels that the widest change of a column takes

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void measure();
    std::vector<int> m_change_widths;
};

} // namespace batchscope::widgets
