// SPDX-License-Identifier: GPL-3.0-or-later
// The delta table: one metric a row, the baseline and then each run a column. Cells carry value, change in
// words and direction; the formula is the tool-tip.
#pragma once

#include "sessions/report.h"

#include <QAbstractTableModel>
#include <vector>

namespace batchscope::widgets {

class ComparisonModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Role { ChangeRole = Qt::UserRole + 1, DirectionRole, OrderRole };

    explicit ComparisonModel(QObject* parent = nullptr) : QAbstractTableModel(parent) {}
    void setComparison(sessions::Comparison comparison,
                       std::vector<int> orders); // orders: identity of each run
    const sessions::Comparison& comparison() const { return m_comparison; }
    QString toTsv() const; // for the clipboard: header, then one metric a line
    QString toHtml() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    const sessions::ComparisonCell* cell(const QModelIndex& index) const;
    sessions::Comparison m_comparison;
    std::vector<int> m_orders;
};

// "▲ 2.04 × more": the arrow points where the value went; better or worse is said by the word that follows in
// words.
QString changeWithArrow(const sessions::ComparisonCell& cell, const sessions::ComparisonCell& baseline);

} // namespace batchscope::widgets
