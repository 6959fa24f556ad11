// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/delta_table.h"

#include "widgets/look/identity.h"
#include "widgets/look/theme.h"

#include <QPainter>
#include <algorithm>

namespace batchscope::widgets {
namespace {

constexpr int k_inset = 6, k_between = 6;
constexpr int k_row_height = 22, k_least_names = 196, k_least_run = 76;
constexpr int k_most_change = 116; // a longer change goes on in further lines

} // namespace

void DeltaDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const
{
    QStyleOptionViewItem plain(option);
    initStyleOption(&plain, index);
    const QString text = plain.text;
    plain.text.clear();
    option.widget->style()->drawControl(QStyle::CE_ItemViewItem, &plain, painter, option.widget);
    const Tokens& t = tokens();
    QRect box = option.rect.adjusted(k_inset, 0, -k_inset, 0);
    painter->save();
    painter->setFont(option.font);
    painter->setPen(t.text);
    if (index.column() == 0) {
        painter->drawText(box, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextWordWrap, text);
    } else {
        paintAside(*painter, option, index, box);
        painter->setFont(option.font);
        painter->setPen(t.text);
        painter->drawText(box, Qt::AlignRight | Qt::AlignVCenter, text);
    }
    painter->restore();
}

// Change and spread, smaller, at the right; leaves in `box` what remains for the value.
void DeltaDelegate::paintAside(QPainter& painter, const QStyleOptionViewItem& option,
                               const QModelIndex& index, QRect& box) const
{
    const auto* table = qobject_cast<const DeltaTable*>(option.widget);
    if (!table) return;
    const Tokens& t = tokens();
    painter.setFont(smallerFont(option.font));
    const auto put = [&](int width, const QString& text, const QColor& color) {
        if (width == 0) return;
        painter.setPen(color);
        painter.drawText(QRect(box.right() - width + 1, box.top(), width, box.height()),
                         Qt::AlignLeft | Qt::AlignVCenter | Qt::TextWordWrap, text);
        box.setRight(box.right() - width - k_between);
    };
    const int direction = index.data(ComparisonModel::DirectionRole).toInt();
    put(table->changeWidth(index.column()), index.data(ComparisonModel::ChangeRole).toString(),
        direction > 0   ? t.good
        : direction < 0 ? t.warn
                        : t.muted);
    put(table->spreadWidth(index.column()), index.data(ComparisonModel::SpreadRole).toString(), t.muted);
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
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setTabKeyNavigation(false); // Tab leaves the table, arrows move in it
    verticalHeader()->hide();
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    verticalHeader()->setMinimumSectionSize(k_row_height);
    verticalHeader()->setDefaultSectionSize(k_row_height);
    horizontalHeader()->setMinimumSectionSize(k_least_run);
    connect(&model, &QAbstractItemModel::modelReset, this, &DeltaTable::measure);
}

int DeltaTable::widthAt(const std::vector<int>& widths, int column)
{
    const auto at = static_cast<std::size_t>(column);
    return at < widths.size() ? widths[at] : 0;
}

void DeltaTable::measure()
{
    const QFontMetrics metrics(smallerFont(font()));
    const int columns = model()->columnCount(), rows = model()->rowCount();
    const auto widest = [&](int column, int role) {
        int width = 0;
        for (int row = 0; row < rows; ++row)
            width =
                std::max(width, metrics.horizontalAdvance(model()->index(row, column).data(role).toString()));
        return width;
    };
    m_spread_widths.assign(static_cast<std::size_t>(columns), 0);
    m_change_widths = m_spread_widths;
    for (int column = 1; column < columns; ++column) {
        m_spread_widths[static_cast<std::size_t>(column)] = widest(column, ComparisonModel::SpreadRole);
        m_change_widths[static_cast<std::size_t>(column)] =
            std::min(widest(column, ComparisonModel::ChangeRole) + 2, k_most_change);
    }
    shareWidth();
}

void DeltaTable::resizeEvent(QResizeEvent* event)
{
    QTableView::resizeEvent(event);
    shareWidth();
}

int DeltaTable::neededWidth(int column) const
{
    int value = 56;
    for (int row = 0; row < model()->rowCount(); ++row)
        value =
            std::max(value, fontMetrics().horizontalAdvance(model()->index(row, column).data().toString()));
    for (const int aside : {spreadWidth(column), changeWidth(column)})
        if (aside > 0) value += aside + k_between;
    const QString name = model()->headerData(column, Qt::Horizontal).toString();
    const int head = horizontalHeader()->fontMetrics().horizontalAdvance(name) + 16 + 2 * k_inset + 4;
    return std::max({value + 2 * k_inset + 4, k_least_run, std::min(head, 200)});
}

// The runs take what they need, the metric names the rest up to the longest, the runs share what is over.
// Long names break before a run is pushed out of sight.
void DeltaTable::shareWidth()
{
    const int columns = model()->columnCount();
    if (columns < 2) return;
    int names = k_least_names;
    for (int row = 0; row < model()->rowCount(); ++row)
        names = std::max(names, fontMetrics().horizontalAdvance(model()->index(row, 0).data().toString()) +
                                    2 * k_inset + 4);
    std::vector<int> needed;
    int sum = 0;
    for (int column = 1; column < columns; ++column) {
        needed.push_back(neededWidth(column));
        sum += needed.back();
    }
    const int room = viewport()->width();
    names = std::clamp(room - sum, k_least_names, names);
    const int spare = std::max(0, (room - sum - names) / (columns - 1));
    horizontalHeader()->resizeSection(0, names);
    for (int column = 1; column < columns; ++column)
        horizontalHeader()->resizeSection(column, needed[static_cast<std::size_t>(column - 1)] + spare);
    setRowHeights();
}

void DeltaTable::setRowHeights()
{
    const auto height = [](const QFont& font, int room, const QString& text) {
        return QFontMetrics(font).boundingRect(QRect(0, 0, room, 1000), Qt::TextWordWrap, text).height();
    };
    const int line = fontMetrics().height();
    for (int row = 0; row < model()->rowCount(); ++row) {
        const auto at = [this, row](int column) { return model()->index(row, column); };
        int tallest = height(font(), columnWidth(0) - 2 * k_inset, at(0).data().toString());
        for (int column = 1; column < model()->columnCount(); ++column)
            tallest = std::max(tallest, height(smallerFont(font()), changeWidth(column),
                                               at(column).data(ComparisonModel::ChangeRole).toString()));
        setRowHeight(row, k_row_height - line + std::max(line, tallest));
    }
}

} // namespace batchscope::widgets
