// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/delta_table.h"

#include "widgets/look/identity.h"
#include "widgets/look/theme.h"

#include <QPainter>
#include <algorithm>

namespace batchscope::widgets {
namespace {

constexpr int k_inset = 8, k_between = 8;

QFont smaller(QFont font)
{
    font.setPointSizeF(font.pointSizeF() - 1);
    return font;
}

} // namespace

void DeltaDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const
{
    if (index.column() == 0) {
        QStyledItemDelegate::paint(painter, option, index);
        return;
    }
    QStyleOptionViewItem plain(option);
    initStyleOption(&plain, index);
    plain.text.clear();
    option.widget->style()->drawControl(QStyle::CE_ItemViewItem, &plain, painter, option.widget);
    const Tokens& t = tokens();
    const auto* table = qobject_cast<const DeltaTable*>(option.widget);
    const int change_width = table ? table->changeWidth(index.column()) : 0;
    QRect box = option.rect.adjusted(k_inset, 0, -k_inset, 0);
    painter->save();
    const QString change = index.data(ComparisonModel::ChangeRole).toString();
    const int direction = index.data(ComparisonModel::DirectionRole).toInt();
    painter->setFont(smaller(option.font));
    painter->setPen(direction > 0 ? t.good : direction < 0 ? t.warn : t.muted);
    painter->drawText(QRect(box.right() - change_width + 1, box.top(), change_width, box.height()),
                      Qt::AlignLeft | Qt::AlignVCenter, change);
    if (change_width > 0) box.setRight(box.right() - change_width - k_between);
    painter->setFont(option.font);
    painter->setPen(t.text);
    painter->drawText(box, Qt::AlignRight | Qt::AlignVCenter, index.data().toString());
    painter->restore();
}

RunHeader::RunHeader(QWidget* parent) : QHeaderView(Qt::Horizontal, parent)
{
    setHighlightSections(false);
    setSectionsClickable(false);
}

void RunHeader::paintSection(QPainter* painter, const QRect& rect, int section) const
{
    const Tokens& t = tokens();
    painter->save();
    painter->fillRect(rect, t.panel);
    painter->setPen(t.border);
    painter->drawLine(rect.bottomLeft(), rect.bottomRight());
    const QVariant order = model()->headerData(section, Qt::Horizontal, ComparisonModel::OrderRole);
    const QRect box = rect.adjusted(k_inset, 0, -k_inset, 0);
    const int marker = order.isValid() ? 16 : 0;
    const QString text = fontMetrics().elidedText(model()->headerData(section, Qt::Horizontal).toString(),
                                                  Qt::ElideRight, box.width() - marker);
    const int width = fontMetrics().horizontalAdvance(text);
    painter->setPen(section == 0 ? t.muted : t.text);
    painter->drawText(box, (section == 0 ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter, text);
    if (order.isValid())
        paintMarker(*painter, QRectF(box.right() - width - marker + 1, box.center().y() - 5, 11, 11),
                    identity(order.toInt()));
    painter->restore();
}

DeltaTable::DeltaTable(ComparisonModel& model, QWidget* parent) : QTableView(parent)
{
    setHorizontalHeader(new RunHeader(this));
    setModel(&model);
    setItemDelegate(new DeltaDelegate(this));
    setAccessibleName(tr("Runs against the baseline"));
    setShowGrid(false);
    setWordWrap(false); // a shortened name ends at a letter, not at a word
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    verticalHeader()->hide();
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    verticalHeader()->setDefaultSectionSize(24);
    horizontalHeader()->setMinimumSectionSize(90);
    connect(&model, &QAbstractItemModel::modelReset, this, &DeltaTable::measure);
}

int DeltaTable::changeWidth(int column) const
{
    const auto at = static_cast<std::size_t>(column);
    return at < m_change_widths.size() ? m_change_widths[at] : 0;
}

void DeltaTable::measure()
{
    const QFontMetrics metrics(smaller(font()));
    const int columns = model()->columnCount(), rows = model()->rowCount();
    m_change_widths.assign(static_cast<std::size_t>(columns), 0);
    for (int column = 1; column < columns; ++column)
        for (int row = 0; row < rows; ++row) {
            const QString text = model()->index(row, column).data(ComparisonModel::ChangeRole).toString();
            int& widest = m_change_widths[static_cast<std::size_t>(column)];
            widest = std::max(widest, metrics.horizontalAdvance(text));
        }
    resizeEvent(nullptr);
}

// The metric names take what they need, the runs share the rest.
void DeltaTable::resizeEvent(QResizeEvent* event)
{
    if (event) QTableView::resizeEvent(event);
    const int columns = model()->columnCount();
    if (columns < 2) return;
    const auto width = [this](int row, int column) {
        return fontMetrics().horizontalAdvance(model()->index(row, column).data().toString());
    };
    int names = 120;
    for (int row = 0; row < model()->rowCount(); ++row)
        names = std::max(names, width(row, 0) + 24);
    std::vector<int> needed;
    int sum = 0;
    for (int column = 1; column < columns; ++column) {
        int value = 56;
        for (int row = 0; row < model()->rowCount(); ++row)
            value = std::max(value, width(row, column));
        const int change = changeWidth(column);
        const QString name = model()->headerData(column, Qt::Horizontal).toString();
        const int head = horizontalHeader()->fontMetrics().horizontalAdvance(name) + 16 + 2 * k_inset + 4;
        const int cell = value + 2 * k_inset + 4 + (change > 0 ? change + k_between : 0);
        needed.push_back(std::max({cell, 90, std::min(head, 200)}));
        sum += needed.back();
    }
    // A long name gives way before a run is pushed out of sight: its tool-tip has it whole.
    const int room = viewport()->width();
    names = std::min(names, std::max(180, std::min(std::max(240, room * 3 / 10), room - sum)));
    sum += names;
    const int spare = std::max(0, (room - sum) / (columns - 1));
    horizontalHeader()->resizeSection(0, names);
    for (int column = 1; column < columns; ++column)
        horizontalHeader()->resizeSection(column, needed[static_cast<std::size_t>(column - 1)] + spare);
}

} // namespace batchscope::widgets
