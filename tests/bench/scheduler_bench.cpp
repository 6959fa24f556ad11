// SPDX-License-Identifier: GPL-3.0-or-later
// What simulated runs, figures and folds cost, by requests of a run. Lengths are drawn as the Alpaca replies
// are spread (mean about 125 tokens, some near the cap), prompts have 10 to 90 tokens.
#include "engine/simulated/cost_model_file.h"
#include "engine/simulated/simulated_backend.h"
#include "scheduler/folds/padding_map.h"
#include "scheduler/folds/queue_view.h"
#include "scheduler/folds/throughput.h"
#include "scheduler/metrics/metrics.h"
#include "scheduler/random.h"
#include "tests/support/recorded_run.h"
#include "tests/support/workloads.h"

#include <benchmark/benchmark.h>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <sys/resource.h>

namespace {

using namespace batchscope;
using namespace batchscope::tests;

constexpr std::size_t k_chunk = 2048; // events that reach a view at once

Workload workloadOfSize(int requests)
{
    Random random(7);
    std::vector<Job> jobs;
    for (int i = 0; i < requests; ++i) {
        int tokens = 1 + static_cast<int>(random.below(60));
        while (tokens < 500 && random.below(3) != 0)
            tokens += static_cast<int>(random.below(80));
        jobs.push_back({tokens, 10 + static_cast<int>(random.below(81)), 0, std::nullopt});
    }
    return workloadOf(jobs);
}

Strategy vanilla()
{
    return strategyOf("vanilla", staticRows(16));
}

Strategy sequenceScheduling()
{
    return strategyOf("fcr", groupedOf(256, 16, 50, "table"), "sjf", {"noisy-oracle", {}}, "fcr");
}

const engine::CostModel& costModel()
{
    static const engine::CostModel s_model = engine::loadCostModel(
        "vicuna-7b-a100", std::filesystem::path(BATCHSCOPE_SOURCE_DIR) / "resources" / "presets");
    return s_model;
}

EventLog simulate(const Workload& workload, const Strategy& strategy)
{
    VirtualClock clock;
    engine::SimulatedBackend backend(costModel(), clock);
    return runOn(backend, clock, workload, strategy).log;
}

// Keeps the whole log as it comes, batch by batch: what is timed is the simulator and not a list's growth.
class KeptBatches : public EventSink
{
public:
    void append(std::vector<Event> events) override
    {
        m_count += events.size();
        m_batches.push_back(std::move(events));
    }
    std::size_t count() const { return m_count; }

private:
    std::vector<std::vector<Event>> m_batches;
    std::size_t m_count = 0;
};

std::size_t countEvents(const Workload& workload, const Strategy& strategy)
{
    static const Registry s_registry = Registry::withBuiltinParts();
    VirtualClock clock;
    engine::SimulatedBackend backend(costModel(), clock);
    KeptBatches kept;
    RunControl control;
    runLoop({&workload, &strategy, &s_registry, &backend, nullptr, &clock}, kept, control, {});
    return kept.count();
}

const EventLog& logOfSize(int requests, bool grouped)
{
    static std::map<std::pair<int, bool>, EventLog> s_logs;
    auto [log, is_new] = s_logs.try_emplace({requests, grouped});
    if (is_new) log->second = simulate(workloadOfSize(requests), grouped ? sequenceScheduling() : vanilla());
    return log->second;
}

void countRequests(benchmark::State& state, const EventLog& log)
{
    state.SetItemsProcessed(state.iterations() * state.range(0));
    state.counters["events"] = static_cast<double>(log.size());
}

template <bool grouped>
void simulateRun(benchmark::State& state)
{
    const Workload workload = workloadOfSize(static_cast<int>(state.range(0)));
    const Strategy strategy = grouped ? sequenceScheduling() : vanilla();
    std::size_t events = 0;
    for (auto _ : state)
        events = countEvents(workload, strategy);
    state.SetItemsProcessed(state.iterations() * state.range(0));
    state.counters["events"] = static_cast<double>(events);
}

template <bool grouped>
void metrics(benchmark::State& state)
{
    const EventLog& log = logOfSize(static_cast<int>(state.range(0)), grouped);
    for (auto _ : state)
        benchmark::DoNotOptimize(computeMetrics(log, Slo{}));
    countRequests(state, log);
}

template <typename Fold, bool grouped>
void fold(benchmark::State& state)
{
    const EventLog& log = logOfSize(static_cast<int>(state.range(0)), grouped);
    for (auto _ : state) {
        Fold view;
        const std::span<const Event> events(log);
        for (std::size_t at = 0; at < events.size(); at += k_chunk)
            view.append(events.subspan(at, std::min(k_chunk, events.size() - at)));
        benchmark::DoNotOptimize(&view);
    }
    countRequests(state, log);
}

// Continuous mode under an overload of half as much again as the slots can serve: the queue grows all the
// while.
Workload overloadOfSize(int requests)
{
    Workload workload = workloadOfSize(requests);
    Random random(11);
    Nanos at_ns = 0;
    for (Request& request : workload.requests) {
        at_ns += static_cast<Nanos>(random.exponential(150'000'000.0));
        request.arrival_ns = at_ns;
        request.client = "client " + std::to_string(random.below(64));
        request.priority = static_cast<int>(random.below(4));
    }
    return workload;
}

Strategy continuousBy(const std::string& ordering)
{
    Strategy strategy = strategyOf(ordering, {"continuous", {}}, ordering, {"noisy-oracle", {}});
    if (ordering == "srpt" || ordering == "mlfq")
        strategy.batching.params["preemption"] = std::string("recompute");
    return strategy;
}

void simulateContinuous(benchmark::State& state, const std::string& ordering)
{
    const Workload workload = overloadOfSize(static_cast<int>(state.range(0)));
    const Strategy strategy = continuousBy(ordering);
    std::size_t events = 0;
    for (auto _ : state)
        events = countEvents(workload, strategy);
    state.SetItemsProcessed(state.iterations() * state.range(0));
    state.counters["events"] = static_cast<double>(events);
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    state.counters["peak_MiB"] = static_cast<double>(usage.ru_maxrss) / 1024;
    state.SetComplexityN(state.range(0));
}

#define BATCHSCOPE_ORDERING(name)                                                                            \
    BENCHMARK_CAPTURE(simulateContinuous, name, #name)                                                       \
        ->RangeMultiplier(10)                                                                                \
        ->Range(1'000, 1'000'000)                                                                            \
        ->Complexity(benchmark::oNLogN)                                                                      \
        ->Unit(benchmark::kMillisecond)
BATCHSCOPE_ORDERING(fcfs);
BATCHSCOPE_ORDERING(sjf);
BATCHSCOPE_ORDERING(srpt);
BATCHSCOPE_ORDERING(ljf);
BATCHSCOPE_ORDERING(bins);
BATCHSCOPE_ORDERING(priority);
BATCHSCOPE_ORDERING(mlfq);
BATCHSCOPE_ORDERING(hrrn);
BATCHSCOPE_ORDERING(fair);

// One at a time, shortest first, under the same overload: SSJF's first experiment.
void simulateOneByOne(benchmark::State& state)
{
    const Workload workload = overloadOfSize(static_cast<int>(state.range(0)));
    const Strategy strategy = strategyOf("sjf", {"none", {}}, "sjf", {"noisy-oracle", {}});
    std::size_t events = 0;
    for (auto _ : state)
        events = countEvents(workload, strategy);
    state.SetItemsProcessed(state.iterations() * state.range(0));
    state.counters["events"] = static_cast<double>(events);
}

#define BATCHSCOPE_SIZES ->Arg(10'000)->Arg(100'000)->Unit(benchmark::kMillisecond)
BENCHMARK(simulateOneByOne)->Name("simulate/none/sjf") BATCHSCOPE_SIZES;
BENCHMARK(simulateRun<false>)->Name("simulate/static") BATCHSCOPE_SIZES;
BENCHMARK(simulateRun<true>)->Name("simulate/grouped") BATCHSCOPE_SIZES;
BENCHMARK(metrics<false>)->Name("computeMetrics/static") BATCHSCOPE_SIZES;
BENCHMARK(metrics<true>)->Name("computeMetrics/grouped") BATCHSCOPE_SIZES;
BENCHMARK(fold<PaddingMap, false>)->Name("paddingMap/static") BATCHSCOPE_SIZES;
BENCHMARK(fold<PaddingMap, true>)->Name("paddingMap/grouped") BATCHSCOPE_SIZES;
BENCHMARK(fold<QueueView, true>)->Name("queueView/grouped") BATCHSCOPE_SIZES;
BENCHMARK(fold<ThroughputStrip, false>)->Name("throughputStrip/static") BATCHSCOPE_SIZES;
BENCHMARK(fold<ThroughputStrip, true>)->Name("throughputStrip/grouped") BATCHSCOPE_SIZES;

} // namespace

BENCHMARK_MAIN();
