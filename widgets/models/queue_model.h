// SPDX-License-Identifier: GPL-3.0-or-later
// The waiting requests in the order they would be served. Updated once a frame on the GUI thread with the
// least change (removals, insertions, few moves, else one layout change), so that selection and scroll
// position stay (D10).
#pragma once

#include "scheduler/folds/queue_view.h"

#include <QAbstractTableModel>
#include <vector>

namespace batchscope::widgets {

class QueueModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column { RequestColumn, PredictedColumn, AgeColumn, MovedColumn, ColumnCount };
    // Raw values: for sorting (SortRole) and for the delegate that draws the bar.
    enum Role { SortRole = Qt::UserRole + 1, RequestRole, PredictedRole, MovedRole, RecomputeRole };

    explicit QueueModel(QObject* parent = nullptr) : QAbstractTableModel(parent) {}

    void update(const std::vector<WaitingRequest>& waiting, Nanos now);
    void clear() { update({}, 0); }
    int largestPrediction() const
    {
        return m_largest_prediction;
    }                                      // of all that waited so far: the bars' scale
    int rowOf(RequestIndex request) const; // -1: does not wait

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void removeGone(const std::vector<WaitingRequest>& waiting);
    void appendNew(const std::vector<WaitingRequest>& waiting);
    void reorder(const std::vector<WaitingRequest>& waiting);
    void moveRow(int from, int to);
    static QString tip(const WaitingRequest& waiting);
    QVariant display(const WaitingRequest& waiting, int column) const;
    QVariant sortValue(const WaitingRequest& waiting, int column) const;
    std::vector<WaitingRequest> m_waiting;
    Nanos m_now = 0;
    int m_largest_prediction = 1;
};

} // namespace batchscope::widgets
