// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/experiment/offered_load.h"

#include "app/experiment/parallel_runs.h"

#include <algorithm>

namespace batchscope::app {
namespace {

constexpr std::size_t k_most_requests = 512; // a few milliseconds, and many batches of any usual size

// The same requests, all of them waiting from the start.
Workload allAtOnce(const Workload& workload)
{
    Workload waiting = workload;
    waiting.requests.resize(std::min(waiting.requests.size(), k_most_requests));
    waiting.closed_loop_clients = 0;
    for (Request& request : waiting.requests) {
        request.arrival_ns = 0;
        request.think_ns = 0;
        request.follows.reset();
    }
    return waiting;
}

std::optional<double> arrivalRate(const Workload& workload)
{
    if (workload.closed_loop_clients > 0) return std::nullopt;
    std::size_t count = 0;
    Nanos last_ns = 0;
    for (const Request& request : workload.requests) {
        if (request.follows) continue; // arrives when its predecessor was answered
        ++count;
        last_ns = std::max(last_ns, request.arrival_ns);
    }
    if (count < 2 || last_ns <= 0) return std::nullopt;
    return static_cast<double>(count - 1) / toSeconds(last_ns);
}

} // namespace

OfferedLoad offeredLoad(const sessions::SessionDocument& document, const Registry& registry,
                        const Workload& workload)
{
    OfferedLoad load;
    load.rate = arrivalRate(workload);
    if (document.backend.type != sessions::BackendSpec::Type::Simulated || document.strategies.empty())
        return load;
    const Strategy strategy = sessions::completeStrategy(document.strategies.front(), registry);
    load.strategy = strategy.name;
    const auto environment = simulatedEnvironment(document);
    ParallelOptions options;
    options.threads = 1;
    const auto outcomes = simulateAll({{0, strategy, environment.get()}},
                                      {1, [&](std::size_t) { return allAtOnce(workload); }}, options);
    const auto& metrics = outcomes.front().metrics;
    if (metrics && metrics->request_throughput.value_or(0) > 0) load.capacity = metrics->request_throughput;
    return load;
}

} // namespace batchscope::app
