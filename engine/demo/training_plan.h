// SPDX-License-Identifier: GPL-3.0-or-later
// The recipe of a small LLaMA's training, and the joint between the trainer (torch plug-in) and its texts (ids).
#pragma once

#include "engine/tokenizer/tokenizer.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

namespace batchscope::engine {

struct TrainingSequence
{
    std::vector<TokenId> prompt_ids; // templated, BOS first
    std::vector<TokenId> answer_ids; // EOS last
};

// Sequence `index` of the training stream (deterministic); negative indices are held-out sequences -1, -2, ...
using TrainingSource = std::function<TrainingSequence(std::int64_t index)>;

struct TrainingStatus
{
    std::int64_t tokens = 0, all_tokens = 0;
    double tokens_per_s = 0, loss = 0, held_out_loss = 0, remaining_s = 0;
};
using TrainingProgress = std::function<void(const TrainingStatus&)>;

struct TrainingPlan
{
    int hidden = 192, layers = 6, heads = 6, intermediate = 512, vocabulary = 1024, max_positions = 1024;
    std::int64_t tokens = 15'000'000;
    int batch_tokens = 2048;
    double learning_rate = 1.2e-3;
    int workers = 2; // data-parallel, one thread each
    bool bf16 = true;
    std::uint64_t seed = 1;
    std::filesystem::path checkpoint; // resumes exactly from it where it exists
    std::filesystem::path out_dir;    // HF folder: config.json, generation_config.json, model.safetensors
};

} // namespace batchscope::engine
