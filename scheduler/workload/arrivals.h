// SPDX-License-Identifier: GPL-3.0-or-later
// When requests arrive (scheduling.md, "Workloads"). Same seed, same nanoseconds, on every machine.
#pragma once

#include "scheduler/time.h"
#include "scheduler/workload/distributions.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace batchscope {

// A stretch of time with its own rate: `rate` all along, or from `rate` to `to_rate` in a straight line.
struct RateStage
{
    double duration_s = 0;
    double rate = 0;                    // requests/s; 0 is a pause
    std::optional<double> to_rate = {}; // at the stage's end
    bool operator==(const RateStage&) const = default;
};

struct ArrivalSpec
{
    std::string process = "all-at-once";
    std::optional<double> rate = {}; // requests/s: even, poisson, gamma, uniform
    // gamma, one of the two: the gaps' coefficient of variation, or their shape k = 1 / cv^2 (what load
    // generators call burstiness; infinity is even spacing).
    std::optional<double> cv = {}, shape = {};
    std::optional<double> min_gap_s = {}, max_gap_s = {}; // uniform without a rate: bounds of the gaps
    bool exact_mean_rate = false; // rescale, so that the last of n arrives (n - 1) / rate after the first
    std::vector<RateStage> stages = {};
    bool even_gaps = false; // stages: spaced by the rate of the moment instead of drawn around it
    double speed = 1;       // trace: 2 is twice as fast
    int clients = 0;        // closed-loop
    std::optional<Distribution> think_s = {}; // closed-loop, and later turns of a conversation; none: at once
    bool sorted_gaps =
        false; // ascending gaps, as the SSJF code has them (compat J-2): only to repeat its figures
    bool whole_seconds = false; // poisson: all of a second at its beginning (compat J-3), likewise

    bool operator==(const ArrivalSpec&) const = default;
};

// "all-at-once", "even", "poisson", "gamma", "uniform", "stages", "trace", "closed-loop".
std::vector<std::string> arrivalProcesses();
bool needsRate(const std::string& process); // even, poisson, gamma

// Nanoseconds from the run's start, the first request at 0, never decreasing, in the order of the workload.
// For "closed-loop" and "trace", whose times the loop or the trace decides, all are 0. Throws SchedulerError
// naming the parameter, its value and what was expected.
std::vector<Nanos> makeArrivals(const ArrivalSpec& spec, std::size_t count, std::uint64_t seed);

// The gap's shape of a gamma process, whichever of cv and shape was given; infinity: even.
double gammaShape(const ArrivalSpec& spec);

// For people: "all-at-once", "poisson 4/s", "gamma 4/s, cv 2 (shape 0.25)".
std::string describeArrivals(const ArrivalSpec& spec);

} // namespace batchscope
