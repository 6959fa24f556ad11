// SPDX-License-Identifier: GPL-3.0-or-later
// The repetitions of a strategy in one press of Run as one column: the median of each figure with its
// interval, and the difference to the baseline, taken pair by pair.
#pragma once

#include "scheduler/statistics/paired.h"
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
// Completed runs of one experiment, strategy and provenance belong together where they had one workload or
// drew it from other seeds; every other run stands alone. In the order in which their first one comes. Where
// workloads differ, the middle of every group is the repetition that has the first group's workload: what is
// put side by side has the same work.
std::vector<RepeatedRun> groupRepetitions(const std::vector<RunRecord>& records);
// The columns of a comparison of these runs: groupRepetitions(), but repetitions of one strategy alone stand
// side by side.
std::vector<RepeatedRun> comparedGroups(const std::vector<RunRecord>& records);
// Whether one run repeats the other as groupRepetitions() has it.
bool repeats(const RunRecord& one, const RunRecord& other);
bool variesWorkload(const RepeatedRun& run);

struct Spread // of one figure over the repetitions that have it
{
    double lowest = 0, median = 0, highest = 0;
    std::int64_t n = 0;
    std::optional<Interval> interval = {}; // of the median, 95 % bootstrap; absent for too few
    bool operator==(const Spread&) const = default;
};
// "[196.2, 210.4]" where there is an interval, else "±14.1", half of highest - lowest, with the figure's
// decimals; empty where every repetition gave the same.
std::string spreadText(const MetricDefinition& metric, const Spread& spread);

inline constexpr const char* k_within_noise = "within noise";

struct RepeatedComparison
{
    Comparison comparison;                 // cells: medians; a change that may be none is k_within_noise
    std::vector<std::int64_t> repetitions; // per column
    std::vector<std::vector<std::optional<Spread>>>
        spreads; // [row][column]; absent where nothing was repeated
    // [row][column]: against the baseline's, pair by pair; absent for the baseline and where there are no
    // pairs.
    std::vector<std::vector<std::optional<PairedDifference>>> paired;
    bool varies_workload = false;     // repetitions drew workloads of their own
    std::vector<std::uint64_t> seeds; // of the first column's repetitions
    bool isRepeated() const;
    // What the figures are and how far they can be trusted, for below a table; empty where nothing was
    // repeated.
    std::string note() const;
};
// Comparison, medians, intervals and note, for a terminal.
std::string comparisonText(const RepeatedComparison& compared);
// "difference +12.3 [+8.1, +15.0] over 10 pairs: 10 higher, 0 lower"
std::string pairedText(const MetricDefinition& metric, const PairedDifference& paired);

// `runs`: of each group the whole run in its middle; the first is the baseline's.
RepeatedComparison compareRepeated(const std::vector<RepeatedRun>& groups, std::vector<StoredRun> runs);
// Of runs that are all at hand the one of each group that stands for it, as compareRepeated() takes them.
std::vector<StoredRun> middleRuns(const std::vector<RepeatedRun>& groups, std::vector<StoredRun> runs);

} // namespace batchscope::sessions
