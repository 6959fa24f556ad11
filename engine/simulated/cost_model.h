// SPDX-License-Identifier: GPL-3.0-or-later
// What a forward pass costs on a machine that is not here, in integer picoseconds, so that simulated times
// are the same on every machine (scheduling.md, "Simulated backend").
#pragma once

#include "scheduler/time.h"

#include <cstdint>
#include <optional>
#include <string>

namespace batchscope::engine {

struct PassWork // of one pass
{
    std::int64_t rows = 0;
    std::int64_t context_tokens = 0; // summed over the rows, the tokens fed in this pass included
    std::int64_t prefill_tokens = 0; // prompt tokens read, left padding included
    bool reads_prompts = false;
    std::int64_t reading_rows = 0; // of the rows, those that read; the others decode a token each
    // Pairs of a token fed and a token that it attends to, itself included: a row that decodes has its
    // context, one that reads n tokens up to a context of c has n * c - n * (n - 1) / 2.
    std::int64_t attended_tokens = 0;

    // A pass later every row has decoded a token: what a span of equal passes grows by.
    PassWork later(std::int64_t passes = 1) const;
    bool operator==(const PassWork&) const = default;
};

// Pairs of a row that reads `tokens` and has `context` of them in its cache afterwards.
constexpr std::int64_t attendedWhileReading(std::int64_t tokens, std::int64_t context)
{
    return tokens * context - tokens * (tokens - 1) / 2;
}

// Time of a resource: pass + row * rows + token * tokens fed + context_token * sum(context)
//                     + attended_token * pairs
struct ResourceTerms
{
    Picos pass = 0;
    Picos row = 0;
    Picos token = 0;
    Picos context_token = 0;
    Picos attended_token = 0;
    bool operator==(const ResourceTerms&) const = default;
};

struct RooflineTerms // engine/simulated/roofline.h makes them
{
    ResourceTerms arithmetic, traffic;
    bool overlaps = true; // a pass takes the longer of the two; else their sum
    bool operator==(const RooflineTerms&) const = default;
};

enum class CostKind : std::uint8_t { Linear, Roofline, Calibrated };

struct FitError // of a model that was fitted to something
{
    std::string to; // what: a published row, a sweep of an engine on a device
    int points = 0;
    double mean_relative_error = 0; // mean of |model - measured| / measured
    double max_relative_error = 0;
    bool operator==(const FitError&) const = default;
};

struct CostModel
{
    std::string name;
    std::string title; // for people
    std::string basis; // what the coefficients were fitted to, and how
    CostKind kind = CostKind::Linear;
    std::optional<FitError> fit;

    // t = pass + row * rows + context_token * sum(context) + prefill_token * prompt tokens read
    //     + attended_token * pairs
    //     + (reading_pass + mixed_row * rows that decode beside it) if the pass reads prompts
    //     + the roofline's, where there is one
    Picos pass_ps = 0;
    Picos row_ps = 0;
    Picos context_token_ps = 0;
    Picos prefill_token_ps = 0;
    Picos reading_pass_ps = 0;
    Picos attended_token_ps = 0;
    Picos mixed_row_ps = 0;  // prefill and decode disturb each other
    Picos swap_token_ps = 0; // a token's KV cache, to host memory or back (preemption keep-kv)
    std::optional<RooflineTerms> roofline;

    Nanos prediction_call_ns = 0;    // a predictor's call ...
    Nanos prediction_request_ns = 0; // ... and each request in it

    int context = 0; // prompt + generated tokens at most; 0: no bound
    std::int64_t weights_bytes = 0;
    std::int64_t kv_bytes_per_token = 0;
    std::optional<std::int64_t> kv_bytes; // for KV; absent: no bound

    bool operator==(const CostModel&) const = default;
};

// Throws BackendError where the sum leaves the range of Picos (106 days).
Picos passTime(const CostModel& model, const PassWork& work);

// A span of passes that begins with `work` and in which every row decodes a token a pass: `count` of them lie
// on one line, the first takes `first_ps` and each later one `growth_ps` more. A roofline bends where
// arithmetic overtakes traffic or falls behind it; elsewhere a span has no end.
struct StraightSpan
{
    Picos first_ps = 0;
    Picos growth_ps = 0;
    std::int64_t count = 0;
};
StraightSpan straightSpan(const CostModel& model, const PassWork& work);

// Time that a request takes by itself: the pass that reads its prompt and its later ones, `passes` in all, in
// a batch of one; the floor of the exact sum. Throws BackendError as passTime does.
Nanos serviceAlone(const CostModel& model, std::int64_t prompt_tokens, std::int64_t passes);

} // namespace batchscope::engine
