// SPDX-License-Identifier: GPL-3.0-or-later
// Small workloads and strategies, in one line each.
#pragma once

#include "scheduler/random.h"
#include "scheduler/request.h"
#include "scheduler/strategy.h"

#include <string>
#include <vector>

namespace batchscope::tests {

struct Job
{
    int output_tokens = 1;
    int prompt_tokens = 4;
    Nanos arrival_ns = 0;
    std::optional<int> predicted_tokens = {};
};

inline Workload workloadOf(const std::vector<Job>& jobs)
{
    Workload workload;
    workload.lengths = LengthMode::Replayed;
    for (const Job& job : jobs) {
        Request request;
        request.index = static_cast<RequestIndex>(workload.requests.size());
        request.prompt_tokens = job.prompt_tokens;
        request.output_tokens = job.output_tokens;
        request.arrival_ns = job.arrival_ns;
        request.predicted_tokens = job.predicted_tokens;
        workload.requests.push_back(request);
    }
    return workload;
}

// All at once, prompts of 4 tokens.
inline Workload workloadOfLengths(const std::vector<int>& lengths)
{
    std::vector<Job> jobs;
    for (const int length : lengths)
        jobs.push_back({length, 4, 0, std::nullopt});
    return workloadOf(jobs);
}

// Lengths 0...most, recorded predictions near or far from them; some arrive together, some apart.
inline Workload randomWorkload(Random& random, int requests, int most)
{
    std::vector<Job> jobs;
    const bool at_once = random.below(3) == 0;
    for (int i = 0; i < requests; ++i) {
        Job job;
        job.output_tokens = static_cast<int>(random.below(static_cast<std::uint32_t>(most) + 1));
        job.prompt_tokens = 1 + static_cast<int>(random.below(40));
        job.arrival_ns = at_once ? 0 : static_cast<Nanos>(random.below(40)) * 7'000'000;
        if (random.below(10) > 0)
            job.predicted_tokens = 1 + static_cast<int>(random.below(2 * static_cast<std::uint32_t>(most)));
        jobs.push_back(job);
    }
    return workloadOf(jobs);
}

inline Strategy strategyOf(const std::string& name, PartSpec batching, const std::string& ordering = "fcfs",
                           PartSpec predictor = {"none", {}}, const std::string& correction = "none",
                           int cap = 512)
{
    Strategy strategy;
    strategy.name = name;
    strategy.predictor = std::move(predictor);
    strategy.ordering = {ordering, {}};
    strategy.batching = std::move(batching);
    strategy.correction = {correction, {}};
    strategy.limits.max_new_tokens = cap;
    return strategy;
}

inline PartSpec staticRows(int rows, double window_s = 0)
{
    return {"static", {{"rows", std::int64_t{rows}}, {"window_s", window_s}}};
}

inline PartSpec groupedOf(int group, int rows, int bin_width, const std::string& vbs = "off")
{
    return {"grouped",
            {{"group", std::int64_t{group}},
             {"rows", std::int64_t{rows}},
             {"bin_width", std::int64_t{bin_width}},
             {"vbs", vbs}}};
}

} // namespace batchscope::tests
