// SPDX-License-Identifier: GPL-3.0-or-later
// What many simulated runs came to, as the pages of sweeps and advice show it: plain values, made by the
// window from what app/experiment found.
#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>
#include <vector>

namespace batchscope::widgets {

struct Trial
{
    QString name;
    double tokens_per_s = 0;
    double e2el_p99_s = 0;
    std::int64_t kv_bytes = 0; // most taken at once; 0: the cost model says nothing of it
    bool is_on_frontier = false;
    bool can_use = false; // as a strategy of the session
    int order = -1;   // of the session's own strategies: their place, and so their marker; -1: another
    QString mark;     // what it is besides, in a word or two: "best throughput"; empty: nothing
    QString interval; // of its throughput over repetitions; empty: one run
};

struct Trials
{
    std::vector<Trial> all;
    QString words; // what to conclude, paragraphs apart by an empty line
    QStringList notes;
    bool hasMemory() const
    {
        for (const Trial& trial : all)
            if (trial.kv_bytes > 0) return true;
        return false;
    }
};

} // namespace batchscope::widgets
