// SPDX-License-Identifier: GPL-3.0-or-later
// A training run of a small LLaMA in plain types: shape, recipe, data, progress. Tokens count prompt and
// answer. No torch here: programs and tests describe a run with it, the torch plug-in carries it out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

namespace batchscope::engine {

// Token ids of one conversation turn: the prompt begins with BOS, the answer ends with EOS.
struct TrainingExample
{
    std::vector<std::int32_t> prompt_ids;
    std::vector<std::int32_t> answer_ids;
};

struct TrainingSource
{
    // The index-th example of an endless sequence: a pure function, called from one thread at a time.
    std::function<TrainingExample(std::uint64_t index)> example;
    std::vector<TrainingExample> held_out;
};

struct LlamaShape
{
    int vocabulary = 1024;
    int width = 192;
    int layers = 6;
    int heads = 6;
    int hidden = 512;
    int context = 1024;
    double rope_base = 10000.0;
    double norm_epsilon = 1e-5;

    bool operator==(const LlamaShape&) const = default;
};

struct TrainingPlan
{
    LlamaShape shape;
    std::int64_t tokens = 15'000'000;
    int tokens_per_step = 2048;
    double learning_rate = 1.2e-3;
    double warm_up_share = 0.02;    // of all tokens
    double final_rate_share = 0.02; // the cosine ends here
    double beta1 = 0.9;
    double beta2 = 0.95;
    double weight_decay = 0.1;
    double gradient_clip = 1.0;
    double answer_length_exponent = 0.5; // an answer token weighs length^-exponent
    int workers = 2;                     // one thread each; part of the recipe: sums are ordered by it
    bool bfloat16 = true;                // products in bf16; weights and sums in f32
    std::uint64_t seed = 1;
    std::filesystem::path
        model_dir; // config.json, generation_config.json, model.safetensors are written here
    std::filesystem::path checkpoint; // empty: none; resumed from when the file exists
    double checkpoint_every_s = 120;
    int held_out_every_steps = 250;
};

struct TrainingReport
{
    std::int64_t step = 0;
    std::int64_t tokens = 0;
    double tokens_per_s = 0;  // since this process began
    double loss = 0;          // weighted nats per answer token, mean since the report before
    double held_out_loss = 0; // nats per answer token; 0 before the first measurement
    double held_out_right =
        0;              // share of answers whose every token is the most likely one after the right prefix
    double seconds = 0; // trained, over all resumed parts
    double seconds_left = 0;
};

using TrainingProgress = std::function<void(const TrainingReport&)>;

} // namespace batchscope::engine
