// SPDX-License-Identifier: GPL-3.0-or-later
// How long passes of the same size took in two measured runs: where that differs, something else ran beside
// one of them (or its clock was lower), and their rates tell of that too.
#pragma once

#include "scheduler/event_log.h"

#include <cstdint>
#include <optional>

namespace batchscope::sessions {

inline constexpr double k_notable_pass_gap = 0.10; // a share of the baseline's time

struct PassTimes // means over the same passes: each size weighs as often as both runs have it
{
    double baseline_ms = 0, other_ms = 0;
    std::int64_t passes = 0;
    double gap() const { return other_ms / baseline_ms - 1; }
};

// Passes that only decode, by rows and context (in steps of 64 tokens). Null where the runs were not measured
// or share fewer than 30 such passes.
std::optional<PassTimes> comparePassTimes(const EventLog& baseline, const EventLog& other);

} // namespace batchscope::sessions
