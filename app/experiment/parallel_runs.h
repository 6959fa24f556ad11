// SPDX-License-Identifier: GPL-3.0-or-later
// Many simulated runs on all cores. A run is a pure function of its inputs and results lie in the order of
// the jobs, so that the number of threads changes nothing but the time.
#pragma once

#include "app/experiment/run_environment.h"
#include "scheduler/metrics/metrics.h"
#include "scheduler/statistics/applied_theory.h"
#include "scheduler/strategy.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace batchscope::app {

// Workloads that several runs share, each made when its first run needs it and dropped after its last.
struct SharedWorkloads
{
    std::size_t count = 0;
    std::function<Workload(std::size_t)> make; // called on any thread, for one number at a time
};

struct SimulatedJob
{
    std::size_t workload = 0; // a number of SharedWorkloads
    Strategy strategy;
    const RunEnvironment* environment = nullptr; // simulated; must outlive the call
    MeasuredPart part = {};                      // that has figures of its own
};

struct SimulatedOutcome
{
    std::optional<RunMetrics> metrics; // absent: the strategy was refused, or the run failed
    std::string refusal;               // why
    std::optional<TheoreticalWait> theory;
};

struct ParallelOptions
{
    int threads = 0;                                                   // 0: one for each core
    std::function<void(std::size_t done, std::size_t all)> progressed; // from any thread, one at a time
    std::stop_token stop;
};

// Throws EngineError(Cancelled) where a stop was asked for, and what `make` or the first run threw that was
// no refusal.
std::vector<SimulatedOutcome> simulateAll(const std::vector<SimulatedJob>& jobs,
                                          const SharedWorkloads& workloads, const ParallelOptions& options);

} // namespace batchscope::app
