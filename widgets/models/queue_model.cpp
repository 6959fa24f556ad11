// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/queue_model.h"

#include <QLocale>
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace batchscope::widgets {
namespace {

constexpr int k_most_moves = 8; // more out-of-place rows than this are one layout change

} // namespace

void QueueModel::update(const std::vector<WaitingRequest>& waiting, Nanos now)
{
    removeGone(waiting);
    appendNew(waiting);
    reorder(waiting);
    m_now = now;
    m_waiting = waiting; // same requests at the same rows: only their cells may differ
    for (const WaitingRequest& w : m_waiting)
        m_largest_prediction = std::max(m_largest_prediction, w.predicted_tokens.value_or(0));
    if (m_waiting.empty())
        m_largest_prediction = 1;
    else
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

void QueueModel::removeGone(const std::vector<WaitingRequest>& waiting)
{
    std::unordered_set<RequestIndex> stay;
    for (const WaitingRequest& w : waiting)
        stay.insert(w.request);
    for (int last = rowCount() - 1; last >= 0; --last) {
        if (stay.contains(m_waiting[static_cast<std::size_t>(last)].request)) continue;
        int first = last;
        while (first > 0 && !stay.contains(m_waiting[static_cast<std::size_t>(first - 1)].request))
            --first;
        beginRemoveRows({}, first, last);
        m_waiting.erase(m_waiting.begin() + first, m_waiting.begin() + last + 1);
        endRemoveRows();
        last = first;
    }
}

void QueueModel::appendNew(const std::vector<WaitingRequest>& waiting)
{
    std::unordered_set<RequestIndex> known;
    for (const WaitingRequest& w : m_waiting)
        known.insert(w.request);
    std::vector<WaitingRequest> fresh;
    for (const WaitingRequest& w : waiting)
        if (!known.contains(w.request)) fresh.push_back(w);
    if (fresh.empty()) return;
    beginInsertRows({}, rowCount(), rowCount() + static_cast<int>(fresh.size()) - 1);
    m_waiting.insert(m_waiting.end(), fresh.begin(), fresh.end());
    endInsertRows();
}

void QueueModel::reorder(const std::vector<WaitingRequest>& waiting)
{
    std::unordered_map<RequestIndex, int> wanted;
    for (std::size_t i = 0; i < waiting.size(); ++i)
        wanted[waiting[i].request] = static_cast<int>(i);
    int moves = 0;
    for (std::size_t i = 0; i < waiting.size() && moves <= k_most_moves; ++i) {
        if (m_waiting[i].request == waiting[i].request) continue;
        const auto from =
            std::find_if(m_waiting.begin() + static_cast<std::ptrdiff_t>(i), m_waiting.end(),
                         [&](const WaitingRequest& w) { return w.request == waiting[i].request; });
        if (++moves > k_most_moves) break;
        moveRow(static_cast<int>(from - m_waiting.begin()), static_cast<int>(i));
    }
    if (moves <= k_most_moves) return;
    Q_EMIT layoutAboutToBeChanged();
    const QModelIndexList before = persistentIndexList();
    QModelIndexList after;
    after.reserve(before.size());
    for (const QModelIndex& old : before)
        after << index(wanted.at(m_waiting[static_cast<std::size_t>(old.row())].request), old.column());
    m_waiting = waiting;
    changePersistentIndexList(before, after);
    Q_EMIT layoutChanged();
}

void QueueModel::moveRow(int from, int to) // to < from
{
    beginMoveRows({}, from, from, {}, to);
    std::rotate(m_waiting.begin() + to, m_waiting.begin() + from, m_waiting.begin() + from + 1);
    endMoveRows();
}

int QueueModel::rowOf(RequestIndex request) const
{
    const auto it = std::find_if(m_waiting.begin(), m_waiting.end(),
                                 [request](const WaitingRequest& w) { return w.request == request; });
    return it == m_waiting.end() ? -1 : static_cast<int>(it - m_waiting.begin());
}

int QueueModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_waiting.size());
}

int QueueModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(ColumnCount);
}

QVariant QueueModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) return {};
    const WaitingRequest& w = m_waiting[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return display(w, index.column());
    case SortRole:
        return sortValue(w, index.column());
    case RequestRole:
        return w.request;
    case PredictedRole:
        return w.predicted_tokens ? QVariant(*w.predicted_tokens) : QVariant();
    case MovedRole:
        return w.moved;
    case RecomputeRole:
        return w.recompute;
    case Qt::TextAlignmentRole:
        return QVariant(Qt::AlignVCenter | (index.column() >= AgeColumn ? Qt::AlignRight : Qt::AlignLeft));
    case Qt::ToolTipRole:
        return tip(w);
    default:
        return {};
    }
}

QString QueueModel::tip(const WaitingRequest& w)
{
    QStringList lines;
    if (w.recompute)
        lines << tr("Cut off at its predicted limit; waits to be run again at the end of its group");
    if (w.aged) lines << tr("Promoted: it has waited past the ageing bound");
    if (w.preempted) lines << tr("Lost its place after %1 tokens").arg(w.generated);
    lines << tr("%1 prompt tokens, key %2").arg(w.prompt_tokens).arg(w.key, 0, 'g', 6);
    return lines.join(QLatin1Char('\n'));
}

QVariant QueueModel::display(const WaitingRequest& w, int column) const
{
    switch (column) {
    case RequestColumn:
        return QString(QLatin1Char('r') + QString::number(w.request));
    case PredictedColumn:
        return w.predicted_tokens ? QString::number(*w.predicted_tokens) : QStringLiteral("—");
    case AgeColumn:
        return tr("%1 s").arg(QLocale(QLocale::English).toString(toSeconds(m_now - w.arrival_ns), 'f', 1));
    case MovedColumn:
        if (w.recompute) return tr("again");
        if (w.aged) return tr("aged");
        if (w.preempted) return tr("back");
        if (w.moved == 0) return QString();
        return (w.moved > 0 ? QStringLiteral("▲ ") : QStringLiteral("▼ ")) +
               QString::number(std::abs(w.moved));
    default:
        return {};
    }
}

QVariant QueueModel::sortValue(const WaitingRequest& w, int column) const
{
    switch (column) {
    case RequestColumn:
        return w.request;
    case PredictedColumn:
        return w.predicted_tokens.value_or(-1);
    case AgeColumn:
        return static_cast<qlonglong>(m_now - w.arrival_ns);
    default:
        return w.moved;
    }
}

QVariant QueueModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant(Qt::AlignVCenter | (section >= AgeColumn ? Qt::AlignRight : Qt::AlignLeft));
    if (role == Qt::ToolTipRole) {
        switch (section) {
        case PredictedColumn:
            return tr("Output tokens the predictor expects; — where nothing was predicted");
        case AgeColumn:
            return tr("Time since the request arrived");
        case MovedColumn:
            return tr("Places gained (▲) or lost (▼) against the order of arrival; again: run again after "
                      "its limit; back: it lost its place; aged: promoted");
        default:
            return {};
        }
    }
    if (role != Qt::DisplayRole) return {};
    switch (section) {
    case RequestColumn:
        return tr("request");
    case PredictedColumn:
        return tr("predicted");
    case AgeColumn:
        return tr("age");
    default:
        return tr("moved");
    }
}

} // namespace batchscope::widgets
