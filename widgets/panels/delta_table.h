// SPDX-License-Identifier: GPL-3.0-or-later
// The view of ComparisonModel: value and, beside it, the spread, arrow and words of the change. A metric's
// name that is longer than its column goes on in a second line: nothing is cut.
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

private:
    void paintAside(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index,
                    QRect& box) const;
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
    // Pixels that the widest spread and the widest change of a column take.
    int spreadWidth(int column) const { return widthAt(m_spread_widths, column); }
    int changeWidth(int column) const { return widthAt(m_change_widths, column); }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    static int widthAt(const std::vector<int>& widths, int column);
    void measure();
    void shareWidth();
    int neededWidth(int column) const; // of a run's column
    void setRowHeights();
    std::vector<int> m_spread_widths, m_change_widths;
};

} // namespace batchscope::widgets
