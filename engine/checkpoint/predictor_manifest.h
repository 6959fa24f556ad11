// SPDX-License-Identifier: GPL-3.0-or-later
// predictor.json: what a trained length predictor's folder says of itself. Its weights lie beside it in
// model.safetensors.
#pragma once

#include "engine/model/predictor_training.h"

#include <filesystem>
#include <string>
#include <vector>

namespace batchscope::engine {

struct PredictorManifest
{
    std::string type = "pooled-mlp";
    std::string model_hash;       // ModelFolder::hash() of the model whose states it reads
    std::string pooling = "last"; // last, mean, max
    int input = 0;                // features: the model's hidden size
    std::vector<int> hidden;      // widths of the hidden layers
    double target_mean = 0;       // of log(1 + output tokens) in the training part
    double target_sd = 1;         // the network gives (log(1 + tokens) - target_mean) / target_sd
    int cap = 512;                // generation cap that the labels were recorded under
    std::int64_t trained_on = 0;  // examples
    std::uint64_t seed = 42;
    PredictorScores scores; // on the validation part

    bool operator==(const PredictorManifest&) const = default;
};

// Throws EngineError(InvalidFile) naming file, key, the value found and the value expected.
PredictorManifest readPredictorManifest(const std::filesystem::path& folder);
void writePredictorManifest(const std::filesystem::path& folder, const PredictorManifest& manifest);

// Folders under model_dir/predictors that hold a predictor.json, by name.
std::vector<std::filesystem::path> predictorFolders(const std::filesystem::path& model_dir);

} // namespace batchscope::engine
