// SPDX-License-Identifier: GPL-3.0-or-later
// The delta table: one metric a row, the baseline and then each run a column. Cells carry value, spread of
// the repetitions, change in words and direction; the formula is the tool-tip.
#pragma once

#include "sessions/repetitions.h"

#include <QAbstractTableModel>
#include <vector>

namespace batchscope::widgets {

class ComparisonModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Role { ChangeRole = Qt::UserRole + 1, DirectionRole, OrderRole, SpreadRole };

    explicit ComparisonModel(QObject* parent = nullptr) : QAbstractTableModel(parent) {}
    void setComparison(sessions::RepeatedComparison compared,
                       std::vector<int> orders); // orders: identity of each run
    const sessions::Comparison& comparison() const { return m_compared.comparison; }
    const sessions::RepeatedComparison& compared() const { return m_compared; }
    QString toTsv() const; // for the clipboard: header, then one metric a line
    QString toHtml() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    const sessions::ComparisonCell* cell(const QModelIndex& index) const;
    const sessions::Spread* spread(const QModelIndex& index) const;
    QString spreadShown(const QModelIndex& index) const; // "±14.1"
    QString cellTip(const QModelIndex& index) const;
    sessions::RepeatedComparison m_compared;
    std::vector<int> m_orders;
};

// "▲ 2.04 × more": the arrow points where the value went; better or worse is said by the word that follows in
// words. A change within noise has no arrow: nobody knows where the value went.
QString changeWithArrow(const sessions::ComparisonCell& cell, const sessions::ComparisonCell& baseline);

} // namespace batchscope::widgets
