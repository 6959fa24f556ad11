// SPDX-License-Identifier: GPL-3.0-or-later
// Whole runs for views to show: the real loop on the scripted backend, with lengths spread as answers are.
#pragma once

#include "scheduler/metrics/metrics.h"
#include "sessions/run_store.h"
#include "tests/support/recorded_run.h"
#include "tests/support/workloads.h"

#include <cmath>
#include <string>
#include <vector>

namespace batchscope::tests {

inline constexpr std::uint64_t k_demo_seed = 7;

// Many short answers, a few long ones; predictions within a quarter of the truth.
inline Workload demoWorkload(int requests = 96, std::uint64_t seed = k_demo_seed)
{
    Random random(seed, 1);
    std::vector<Job> jobs;
    for (int i = 0; i < requests; ++i) {
        const double u = (random.below(1000) + 1) / 1001.0;
        Job job;
        job.output_tokens = 4 + static_cast<int>(-50.0 * std::log(u));
        job.prompt_tokens = 8 + static_cast<int>(random.below(40));
        job.predicted_tokens =
            std::max(1, job.output_tokens * (75 + static_cast<int>(random.below(50))) / 100);
        jobs.push_back(job);
    }
    Workload workload = workloadOf(jobs);
    for (Request& request : workload.requests)
        request.prompt = "Say something about thing number " + std::to_string(request.index) + '.';
    workload.source = "demo";
    workload.arrivals = "all-at-once";
    return workload;
}

inline Strategy vanilla(int rows = 8)
{
    return strategyOf("Vanilla, static " + std::to_string(rows), staticRows(rows));
}

inline Strategy sequenceScheduling(int rows = 8)
{
    return strategyOf("SeqSch, recorded + FCR", groupedOf(48, rows, 25), "sjf", {"recorded", {}}, "fcr");
}

inline sessions::StoredRun demoRun(const Workload& workload, const Strategy& strategy, int order = 0)
{
    RecordedRun run = runVirtually(workload, strategy);
    sessions::StoredRun stored;
    sessions::RunRecord& record = stored.record;
    record.id = order + 1;
    record.uuid = "demo-" + std::to_string(order);
    record.session = "Demo log";
    record.experiment = "demo";
    record.name = strategy.name;
    record.strategy = strategy;
    record.status = run.status;
    record.workload_hash = workloadHash(workload);
    record.lengths = workload.lengths;
    record.sampling = workload.sampling;
    record.source = workload.source;
    record.arrivals = workload.arrivals;
    record.order = order;
    record.requests = static_cast<std::int64_t>(workload.requests.size());
    record.provenance.cost_model = "scripted";
    record.metrics = computeMetrics(run.log, strategy.slo);
    record.started_unix_ms = 1'700'000'000'000 + order * 1000;
    stored.log = std::move(run.log);
    stored.tokens = std::move(run.tokens);
    stored.requests = sessions::storedRequests(workload);
    return stored;
}

// Vanilla, then sequence scheduling, on the same work.
inline std::vector<sessions::StoredRun> demoRuns(int requests = 96)
{
    const Workload workload = demoWorkload(requests);
    return {demoRun(workload, vanilla(), 0), demoRun(workload, sequenceScheduling(), 1)};
}

} // namespace batchscope::tests
