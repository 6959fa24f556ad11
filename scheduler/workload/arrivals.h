// SPDX-License-Identifier: GPL-3.0-or-later
// When requests arrive (scheduling.md, "Workloads"). Same seed, same nanoseconds, on every machine.
#pragma once

#include "scheduler/time.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace batchscope {

// Names of arrival processes: "all-at-once", "even", "poisson".
std::vector<std::string> arrivalProcesses();

// Nanoseconds from the run's start, the first request at 0, never decreasing. `rate` in requests/s: even
// spaces them by 1/rate; poisson draws exponential gaps of that mean, in the order of the workload. Throws
// SchedulerError for an unknown process and for a rate that is absent, not finite or not positive.
std::vector<Nanos> makeArrivals(const std::string& process, std::optional<double> rate, std::size_t count,
                                std::uint64_t seed);

// "all-at-once", "poisson 4/s".
std::string describeArrivals(const std::string& process, std::optional<double> rate);

} // namespace batchscope
