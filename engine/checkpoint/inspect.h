// SPDX-License-Identifier: GPL-3.0-or-later
// What a model folder holds and needs, as values and as text. Needs no torch.
#pragma once

#include "engine/checkpoint/model_config.h"
#include "engine/checkpoint/predictor_manifest.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace batchscope::engine {

struct TokenizerFacts
{
    std::string file;          // "tokenizer.model"; empty: absent
    std::optional<int> pieces; // absent where it could not be opened
    std::int32_t bos = 1, eos = 2;
    std::string problem; // why no text can be read with it; empty: nothing stands against it
    bool operator==(const TokenizerFacts&) const = default;
};

struct PredictorFacts
{
    std::string name;                          // folder
    std::optional<PredictorManifest> manifest; // absent where it is broken: see `problem`
    bool fits = false;                         // trained for exactly this model (hash)
    std::string problem;
    bool operator==(const PredictorFacts&) const = default;
};

struct MemoryNeed // of one batch at the full context
{
    int rows = 0;
    std::int64_t kv_bytes = 0;
    std::int64_t total_bytes = 0; // weights and keys and values
    bool operator==(const MemoryNeed&) const = default;
};

struct DTypeMemory
{
    DType dtype = DType::F32;
    std::int64_t weight_bytes = 0;
    std::int64_t kv_bytes_per_token = 0;
    std::vector<MemoryNeed> batches; // 1, 8, 16, 32, 64 rows
    bool operator==(const DTypeMemory&) const = default;
};

struct WeightFileFacts
{
    std::string name;
    std::uint64_t bytes = 0;
    std::size_t tensors = 0;
    bool operator==(const WeightFileFacts&) const = default;
};

struct ModelReport
{
    std::filesystem::path path;
    ModelConfig config;
    std::string hash; // 16 hexadecimal digits
    std::int64_t parameters = 0;
    std::int64_t weight_bytes = 0; // as stored
    std::vector<WeightFileFacts> files;
    TokenizerFacts tokenizer;
    bool template_stated = false; // the folder has a template.json
    std::vector<PredictorFacts> predictors;
    std::vector<DTypeMemory> memory; // f32, bf16
    std::vector<std::string> warnings;
    bool operator==(const ModelReport&) const = default;
};

// Throws EngineError as ModelFolder does; a broken tokenizer or predictor becomes a warning (and
// `tokenizer.problem`).
ModelReport inspectModel(const std::filesystem::path& model_dir);
std::string inspectText(const ModelReport& report); // for a terminal

} // namespace batchscope::engine
