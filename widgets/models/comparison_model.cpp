// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/comparison_model.h"

#include "sessions/figure_text.h"

#include <QStringList>

namespace batchscope::widgets {

QString changeWithArrow(const sessions::ComparisonCell& cell, const sessions::ComparisonCell& baseline)
{
    if (cell.change.empty()) return {};
    QString arrow;
    if (cell.change == sessions::k_within_noise) return QString::fromStdString(cell.change);
    if (cell.value && baseline.value && cell.text != baseline.text)
        arrow = *cell.value > *baseline.value ? QStringLiteral("▲ ") : QStringLiteral("▼ ");
    return arrow + QString::fromStdString(cell.change);
}

void ComparisonModel::setComparison(sessions::RepeatedComparison compared, std::vector<int> orders)
{
    beginResetModel();
    m_compared = std::move(compared);
    m_orders = std::move(orders);
    endResetModel();
}

int ComparisonModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_compared.comparison.rows.size());
}

int ComparisonModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_compared.comparison.names.size()) + 1;
}

const sessions::ComparisonCell* ComparisonModel::cell(const QModelIndex& index) const
{
    const auto& cells = m_compared.comparison.rows[static_cast<std::size_t>(index.row())].cells;
    const auto column = static_cast<std::size_t>(index.column() - 1);
    return index.column() > 0 && column < cells.size() ? &cells[column] : nullptr;
}

const sessions::Spread* ComparisonModel::spread(const QModelIndex& index) const
{
    const auto row = static_cast<std::size_t>(index.row()),
               run = static_cast<std::size_t>(index.column() - 1);
    if (index.column() < 1 || row >= m_compared.spreads.size() || run >= m_compared.spreads[row].size())
        return nullptr;
    const auto& found = m_compared.spreads[row][run];
    return found ? &*found : nullptr;
}

QString ComparisonModel::spreadShown(const QModelIndex& index) const
{
    const sessions::Spread* found = spread(index);
    const MetricDefinition* metric =
        found ? findMetric(m_compared.comparison.rows[static_cast<std::size_t>(index.row())].metric)
              : nullptr;
    return metric ? QString::fromStdString(sessions::spreadText(*metric, *found)) : QString();
}

QString ComparisonModel::cellTip(const QModelIndex& index) const
{
    const auto& row = m_compared.comparison.rows[static_cast<std::size_t>(index.row())];
    QString tip = QString::fromStdString(row.title + ": " + row.formula);
    const sessions::Spread* found = spread(index);
    const MetricDefinition* metric = found ? findMetric(row.metric) : nullptr;
    if (!metric) return tip;
    const auto column = static_cast<std::size_t>(index.column() - 1);
    if (const auto& paired = m_compared.paired[static_cast<std::size_t>(index.row())][column])
        tip += QLatin1Char('\n') + QString::fromStdString(sessions::pairedText(*metric, *paired));
    if (found->interval)
        tip += QLatin1Char('\n') +
               tr("95 % interval of the median: %1 to %2")
                   .arg(QString::fromStdString(sessions::figureText(*metric, found->interval->low)),
                        QString::fromStdString(sessions::figureText(*metric, found->interval->high)));
    const auto text = [metric](double value) {
        return QString::fromStdString(sessions::figureText(*metric, value));
    };
    return tip + QLatin1Char('\n') +
           tr("Median of %1 repetitions, from %2 to %3")
               .arg(found->n)
               .arg(text(found->lowest), text(found->highest));
}

QVariant ComparisonModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) return {};
    const auto& row = m_compared.comparison.rows[static_cast<std::size_t>(index.row())];
    if (role == Qt::ToolTipRole) return cellTip(index);
    if (role == Qt::TextAlignmentRole)
        return QVariant(Qt::AlignVCenter | (index.column() == 0 ? Qt::AlignLeft : Qt::AlignRight));
    if (index.column() == 0) {
        if (role != Qt::DisplayRole) return {};
        const QString title = QString::fromStdString(row.title);
        const QString unit = QString::fromStdString(row.unit);
        const bool named = unit.endsWith(QLatin1String("/s")) && title.contains(QLatin1String("per second"));
        return unit.isEmpty() || named ? title : title + QStringLiteral(",\u00a0") + unit;
    }
    const sessions::ComparisonCell* found = cell(index);
    if (!found) return {};
    switch (role) {
    case Qt::DisplayRole:
        return QString::fromStdString(found->text);
    case ChangeRole:
        return index.column() == 1 ? QString() : changeWithArrow(*found, row.cells.front());
    case DirectionRole:
        return found->direction;
    case SpreadRole:
        return spreadShown(index);
    case Qt::AccessibleTextRole: {
        QString text = QString::fromStdString(found->text);
        if (const QString shown = spreadShown(index); !shown.isEmpty()) text += QLatin1Char(' ') + shown;
        if (!found->change.empty()) text += QLatin1String(", ") + QString::fromStdString(found->change);
        if (found->direction != 0)
            text += QLatin1String(", ") + (found->direction > 0 ? tr("better") : tr("worse"));
        return text;
    }
    default:
        return {};
    }
}

QVariant ComparisonModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant(Qt::AlignVCenter | (section == 0 ? Qt::AlignLeft : Qt::AlignRight));
    const auto run = static_cast<std::size_t>(section - 1);
    if (role == OrderRole && section > 0 && run < m_orders.size()) return m_orders[run];
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
    if (section == 0) return tr("metric");
    return run < m_compared.comparison.names.size() ? QString::fromStdString(m_compared.comparison.names[run])
                                                    : QString();
}

QString ComparisonModel::toTsv() const
{
    const bool repeated = m_compared.isRepeated();
    QStringList lines;
    QStringList head{tr("metric")};
    for (const std::string& name : m_compared.comparison.names) {
        head << QString::fromStdString(name);
        if (repeated) head << tr("spread");
        head << tr("change");
    }
    lines << head.join(QLatin1Char('\t'));
    for (int row = 0; row < rowCount(); ++row) {
        QStringList cells{index(row, 0).data().toString()};
        for (int column = 1; column < columnCount(); ++column) {
            const QModelIndex at = index(row, column);
            cells << at.data().toString();
            if (repeated) cells << at.data(SpreadRole).toString();
            cells << at.data(ChangeRole).toString();
        }
        lines << cells.join(QLatin1Char('\t'));
    }
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

QString ComparisonModel::toHtml() const
{
    QString html = QStringLiteral("<table><tr><th>%1</th>").arg(tr("metric").toHtmlEscaped());
    for (const std::string& name : m_compared.comparison.names)
        html += QStringLiteral("<th>%1</th>").arg(QString::fromStdString(name).toHtmlEscaped());
    html += QLatin1String("</tr>");
    for (int row = 0; row < rowCount(); ++row) {
        html += QStringLiteral("<tr><td>%1</td>").arg(index(row, 0).data().toString().toHtmlEscaped());
        for (int column = 1; column < columnCount(); ++column) {
            const QModelIndex at = index(row, column);
            const QString change = at.data(ChangeRole).toString();
            QStringList parts{at.data().toString()};
            for (const QString& part : {at.data(SpreadRole).toString(), change})
                if (!part.isEmpty()) parts << part;
            const QString text = parts.join(QLatin1Char(' '));
            html += QStringLiteral("<td align=\"right\">%1</td>").arg(text.toHtmlEscaped());
        }
        html += QLatin1String("</tr>");
    }
    return html + QLatin1String("</table>");
}

} // namespace batchscope::widgets
