// SPDX-License-Identifier: GPL-3.0-or-later
// The repetitions of a strategy in one press of Run as one column: the median of each figure, its spread, and
// whether a difference to the baseline is wider than the spreads.
#pragma once

#include "sessions/report.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace batchscope::sessions {

struct RepeatedRun
{
    std::vector<RunRecord> records; // in the order of their repetition; one where nothing was repeated
    std::size_t middle = 0;         // of the records: the one whose useful tokens a second are in the middle
    bool operator==(const RepeatedRun&) const = default;
};
// Completed runs of one experiment, strategy, workload and provenance belong together; every other run stands
// alone. In the order in which their first one comes.
std::vector<RepeatedRun> groupRepetitions(const std::vector<RunRecord>& records);

struct Spread // of one figure over the repetitions that have it
{
    double lowest = 0, median = 0, highest = 0;
    std::int64_t n = 0;
    bool operator==(const Spread&) const = default;
};
// "±14.1": half of highest - lowest, with the figure's decimals; empty where every repetition gave the same.
std::string spreadText(const MetricDefinition& metric, const Spread& spread);

inline constexpr const char* k_within_noise = "within noise";

struct RepeatedComparison
{
    Comparison comparison;                 // cells: medians; a change within the spreads is k_within_noise
    std::vector<std::int64_t> repetitions; // per column
    std::vector<std::vector<std::optional<Spread>>>
        spreads; // [row][column]; absent where nothing was repeated
    bool isRepeated() const;
};
// `runs`: of each group the whole run in its middle; the first is the baseline's.
RepeatedComparison compareRepeated(const std::vector<RepeatedRun>& groups, std::vector<StoredRun> runs);

} // namespace batchscope::sessions
