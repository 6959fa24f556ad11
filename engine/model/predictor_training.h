// SPDX-License-Identifier: GPL-3.0-or-later
// Training of a pooled-state + MLP length predictor, in plain types.
#pragma once

#include "scheduler/request.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace batchscope::engine {

struct LengthExample
{
    std::vector<TokenId> prompt_ids; // templated
    int output_tokens = 0;           // label
};

struct PredictorScores // on the validation part; constant = the training median
{
    double mae = 0, constant_mae = 0, kendall_tau_b = 0, acc50 = 0, acc100 = 0;
    std::int64_t n = 0;
    bool operator==(const PredictorScores&) const = default;
};

struct PooledMlpTraining
{
    std::vector<LengthExample> train, validation;
    std::string pooling = "last"; // last, mean, max of the final hidden states of the prompt
    std::vector<int> hidden = {128, 128};
    int epochs = 60;
    int batch = 64;
    double learning_rate = 1e-3;
    double weight_decay = 1e-4;
    int cap = 512;
    std::uint64_t seed = 42;
    std::filesystem::path out_dir; // predictor.json + model.safetensors (temporary + rename)
    std::function<void(int epoch, double train_loss, const PredictorScores& validation)> progress;
};

} // namespace batchscope::engine
