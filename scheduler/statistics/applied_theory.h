// SPDX-License-Identifier: GPL-3.0-or-later
// Where a run is one that queueing theory knows, the mean wait that theory gives for it.
#pragma once

#include "scheduler/backend.h"
#include "scheduler/request.h"
#include "scheduler/strategy.h"

#include <optional>

namespace batchscope {

struct TheoreticalWait
{
    double mean_wait_s = 0; // from arrival to the start of service (the log's queueing delay)
    double utilization = 0;
    bool operator==(const TheoreticalWait&) const = default;
};

// For one request at a time (batching none, static with one row, continuous with one slot), Poisson arrivals,
// first come first served or shortest first by the oracle, without ageing, window or time for predictions:
// M/G/1 with the workload's own services and the rate at which it arrives. Absent everywhere else, where the
// backend knows no service times, and where the server cannot keep up.
std::optional<TheoreticalWait> theoreticalWait(const Workload& workload, const Strategy& strategy,
                                               const Backend& backend);

} // namespace batchscope
