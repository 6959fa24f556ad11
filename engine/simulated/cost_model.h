// SPDX-License-Identifier: GPL-3.0-or-later
// What a forward pass costs on a machine that is not here: a linear model with integer picosecond
// coefficients, so that simulated times are the same on every machine (scheduling.md, "Simulated backend").
#pragma once

#include "scheduler/time.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace batchscope::engine {

struct CostModel
{
    std::string name;
    std::string title; // for people
    std::string basis; // what the coefficients were fitted to, and how

    // t = pass + row * rows + context_token * sum(context) + prefill_token * prompt tokens read
    //     + reading_pass if the pass reads prompts
    Picos pass_ps = 0;
    Picos row_ps = 0;
    Picos context_token_ps = 0;
    Picos prefill_token_ps = 0;
    Picos reading_pass_ps = 0;
    Picos swap_token_ps = 0; // a token's KV cache, to host memory or back (preemption keep-kv)

    Nanos prediction_call_ns = 0;    // a predictor's call ...
    Nanos prediction_request_ns = 0; // ... and each request in it

    int context = 0; // prompt + generated tokens at most; 0: no bound
    std::int64_t weights_bytes = 0;
    std::int64_t kv_bytes_per_token = 0;
    std::optional<std::int64_t> kv_bytes; // for KV; absent: no bound

    bool operator==(const CostModel&) const = default;
};

struct PassWork // of one pass
{
    std::int64_t rows = 0;
    std::int64_t context_tokens = 0; // summed over the rows, the tokens fed in this pass included
    std::int64_t prefill_tokens = 0; // prompt tokens read, left padding included
    bool reads_prompts = false;
};

// Throws BackendError where the sum leaves the range of Picos (106 days).
Picos passTime(const CostModel& model, const PassWork& work);

// Time that a request takes by itself: the pass that reads its prompt and its later ones, `passes` in all, in
// a batch of one; the floor of the exact sum. Throws BackendError as passTime does.
Nanos serviceAlone(const CostModel& model, std::int64_t prompt_tokens, std::int64_t passes);

// Reads a "batchscope.cost-model/1" document. Throws EngineError(InvalidFile) naming file, JSON path, value
// found and value expected.
CostModel readCostModel(const std::filesystem::path& file);

// Names of the presets in a folder, sorted.
std::vector<std::string> costModelPresets(const std::filesystem::path& presets_dir);

// `preset` is a name in `presets_dir` or a file ending in ".json". Throws EngineError(InvalidFile) naming it
// and the presets that exist.
CostModel loadCostModel(const std::string& preset, const std::filesystem::path& presets_dir);

} // namespace batchscope::engine
