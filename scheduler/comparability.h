// SPDX-License-Identifier: GPL-3.0-or-later
// What a run was: its provenance and work, and the check made before two runs are put side by side (metrics.md).
#pragma once

#include "scheduler/event.h"
#include "scheduler/metrics/metrics.h"
#include "scheduler/request.h"
#include "scheduler/strategy.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace batchscope {

struct Provenance
{
    bool measured = false;
    std::string device;     // "CPU", "cuda:0 ..."
    std::string model;      // name and hash
    std::string dtype;      // "f32", "bf16"
    int threads = 0;
    std::string cost_model; // simulated: preset name
    bool watched = false;   // a window was watching
    bool warmed_up = false;
    bool operator==(const Provenance&) const = default;
    std::string sentence() const; // "measured on CPU, bf16, 2 threads" / "simulated with vicuna-7b-a100"
};

// The provenance of a run of that strategy: its sentence, and the quirks of published code that were repeated.
std::string provenanceSentence(const Provenance& provenance, const Strategy& strategy);

struct RunFacts // what the check compares
{
    std::string name;
    Strategy strategy;
    Provenance provenance;
    std::string workload_hash;
    LengthMode lengths = LengthMode::Free;
    Sampling sampling;
    std::string arrivals;
    Delivery delivery = Delivery::Streamed;
    double window_s = 0;
    std::int64_t useful_output_tokens = 0;
    std::vector<std::string> output_digests; // per request, of its delivered ids; empty when simulated
};

struct Difference
{
    std::string what;     // "delivery"
    std::string baseline; // "batch-end"
    std::string other;    // "streamed"
    bool operator==(const Difference&) const = default;
};

std::vector<Difference> compareFacts(const RunFacts& baseline, const RunFacts& other);
// Share of requests whose delivered ids are identical, and the first that differs. Null when either has none.
std::optional<double> outputAgreement(const RunFacts& a, const RunFacts& b, std::optional<RequestIndex>* first_difference);

} // namespace batchscope
