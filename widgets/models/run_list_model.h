// SPDX-License-Identifier: GPL-3.0-or-later
// The runs of the store, newest first, with a tick for "compare this one" and one baseline.
#pragma once

#include "sessions/run_store.h"

#include <QAbstractListModel>
#include <vector>

namespace batchscope::widgets {

class RunListModel : public QAbstractListModel
{
    Q_OBJECT

public:
    enum Role {
        IdRole = Qt::UserRole + 1,
        OrderRole,
        SubtitleRole,
        BaselineRole,
        SearchRole,
        ExperimentRole, // equal for the runs of one press of Run, which share what the next two say
        SessionRole,    // the session's name
        OccasionRole,   // "30 Nov 2026 · 256 requests · CPU, f32"
        StateRole       // "interrupted", "running" ...; empty for a run that completed
    };

    explicit RunListModel(QObject* parent = nullptr) : QAbstractListModel(parent) {}

    void setRuns(std::vector<sessions::RunRecord> runs); // ticks and baseline stay with their runs
    const std::vector<sessions::RunRecord>& runs() const { return m_runs; }
    void setChosen(const std::vector<sessions::RunId>& ids); // the first is the baseline
    void setBaseline(sessions::RunId id);                    // ticks it where it is not
    std::vector<sessions::RunId> chosen() const;             // baseline first, then as listed from the oldest
    sessions::RunId baseline() const { return m_baseline; }

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

Q_SIGNALS:
    void chosenChanged();

private:
    bool isChosen(sessions::RunId id) const;
    void allChanged();
    QString subtitle(const sessions::RunRecord& run) const;
    QString spoken(const sessions::RunRecord& run) const;
    std::vector<sessions::RunRecord> m_runs;
    std::vector<sessions::RunId> m_chosen;
    sessions::RunId m_baseline = 0;
};

} // namespace batchscope::widgets
