// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/event_samples.h"

#include <limits>
#include <random>

namespace batchscope::tests {

namespace {

constexpr auto k_most64 = std::numeric_limits<std::int64_t>::max();
constexpr auto k_most32 = std::numeric_limits<std::uint32_t>::max();

BatchFormed formed()
{
    BatchFormed batch{7, BatchKind::Micro, 3, 150, 64, {}};
    batch.rows = {{0, 12, 0, 20, 151, false, false, 0}, {1, 13, 1, 64, 512, true, true, 44}};
    return batch;
}

Steps measuredSteps()
{
    Steps steps;
    steps.batch = 7;
    steps.first_step = 2;
    steps.count = 3;
    steps.start_ns = 1'000'001;
    steps.durations_ns = {9'000'000, 8'999'999, 1};
    steps.reads = {{0, 20, true}, {1, 0, false}};
    steps.stalled = {5, k_most32};
    return steps;
}

Steps simulatedSteps()
{
    Steps steps;
    steps.batch = 8;
    steps.count = 512;
    steps.start_ns = 5;
    steps.start_ps = 5'432;
    steps.first_ps = 20'000'000'000;
    steps.growth_ps = -3;
    return steps;
}

} // namespace

EventLog everyKindOfEvent()
{
    RunStarted started;
    started = {256, 64, 512, k_most64, Delivery::BatchEnd, true};
    return {
        {0, started},
        {0, RunStarted{}},
        {-5, Arrived{0, -1, 20}},
        {4, Predicted{3, PredictionKind::Tokens, 120, 150, std::nullopt, 1'500, true, false}},
        {4, Predicted{4, PredictionKind::Rank, std::nullopt, std::nullopt, -0.125, 0, false, true}},
        {5, Picked{12, 7, PickRule::Bin, 100.0, 3'100'000'000, 4, 15, 388.5, 2, 1e300}},
        {5, Picked{}},
        {6, formed()},
        {6, BatchFormed{}},
        {10, measuredSteps()},
        {10, simulatedSteps()},
        {11, RowEnded{7, 1, 13, 1, RowEnd::Cancelled, 511, k_most32}},
        {12, AttemptAbandoned{13, 65535, 7, 88}},
        {13, BatchEnded{7, 512}},
        {14, Promoted{9, 30'000'000'000, 29'000'000'000}},
        {15, Preempted{3, 0, 2, 88.25, 4, 3.5, true}},
        {15, Preempted{}},
        {16, Resumed{3, 0, 2, 17}},
        {17, MemorySample{6'100'000, k_most64, 0}},
        {18, RunPaused{}},
        {19, RunContinued{}},
        {k_most64, RunEnded{RunStatus::Failed, "out of \"memory\"\n\tat slot 3 — 名前"}},
    };
}

EventLog manyEvents(std::size_t count, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    EventLog log;
    log.reserve(count);
    Nanos now = 0;
    for (std::size_t i = 0; i < count; ++i) {
        now += static_cast<Nanos>(random() % 20'000'000);
        const auto request = static_cast<RequestIndex>(i / 4);
        switch (i % 4) {
        case 0:
            log.push_back({now, Arrived{request, now, static_cast<int>(random() % 60)}});
            break;
        case 1:
            log.push_back(
                {now, Picked{request, request / 16, PickRule::Key, static_cast<double>(random() % 512), 5'000,
                             3, request + 1, 40.0, std::nullopt, 0.0}});
            break;
        case 2: {
            Steps steps;
            steps.batch = request / 16;
            steps.count = static_cast<std::uint32_t>(1 + random() % 100);
            steps.start_ns = now;
            steps.first_ps = 20'000'000'000;
            log.push_back({now, steps});
            break;
        }
        default:
            log.push_back({now, RowEnded{request / 16, request % 16, request, 0, RowEnd::Eos,
                                         static_cast<int>(random() % 512), 40}});
        }
    }
    return log;
}

} // namespace batchscope::tests
