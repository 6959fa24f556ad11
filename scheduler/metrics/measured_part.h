// SPDX-License-Identifier: GPL-3.0-or-later
// Which part of a run is to be looked at by itself, beside the whole: without its warm-up, or a window of it.
#pragma once

#include "scheduler/metrics/occupancy.h"

#include <cstdint>
#include <limits>
#include <optional>

namespace batchscope {

// What is not counted at the beginning, whichever ends later; both absent: nothing.
struct WarmUp
{
    std::optional<std::int64_t> requests = {}; // the first so many by arrival
    std::optional<Nanos> duration_ns = {};     // from the first arrival
    bool operator==(const WarmUp&) const = default;
};

struct MeasuredPart
{
    WarmUp warm_up = {};
    std::optional<TimeSpan> window = {}; // from the run's start; what the warm-up leaves of it
    bool isWhole() const { return *this == MeasuredPart{}; }
    bool operator==(const MeasuredPart&) const = default;
};

inline constexpr Nanos k_no_end = std::numeric_limits<Nanos>::max(); // of a window that lasts to the end

} // namespace batchscope
