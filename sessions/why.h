// SPDX-License-Identifier: GPL-3.0-or-later
// What changed between runs and why, in sentences made from the runs' own figures.
#pragma once

#include "sessions/pass_times.h"
#include "sessions/run_record.h"

#include <optional>
#include <string>
#include <vector>

namespace batchscope::sessions {

// What the headline knows beside the runs it puts side by side.
struct Evidence
{
    std::vector<RunRecord> repetitions;               // every run of the strategies compared
    std::vector<std::optional<PassTimes>> pass_times; // per run against the first; may be empty
};

// One sentence for the top of a report: the best of the others against the first, or why that cannot be told:
// a run that did not end, too few requests, a difference within the noise.
std::string headline(const std::vector<RunRecord>& runs, const Evidence& evidence = {});
// One line a run beside the first. A cause is named only where the figures show it.
std::string explainRuns(const std::vector<RunRecord>& runs);

// Only a run that was completed is called better or worse than another.
bool isWhole(const RunRecord& run);
// "was cancelled after completing 3 of 8 requests"
std::string endOf(const RunRecord& run);
// "sorted delivered 1.75 × the useful tokens a second of vanilla (3,456.1 against 1,970.0)", without a full
// stop.
std::string rateSentence(const RunRecord& base, const RunRecord& other);

} // namespace batchscope::sessions
