// SPDX-License-Identifier: GPL-3.0-or-later
// The shape of a LLaMA-family model, read from a Hugging Face folder's config.json and
// generation_config.json.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace batchscope::engine {

enum class DType { F32, BF16, F16 };
std::string dtypeName(DType dtype);           // "f32", "bf16", "f16"
DType dtypeFromName(const std::string& name); // throws EngineError(InvalidFile) listing the names that exist
int dtypeBytes(DType dtype);

struct ModelConfig
{
    int hidden = 0;
    int intermediate = 0;
    int layers = 0;
    int heads = 0;
    int kv_heads = 0;
    int head_dim = 0;
    int vocabulary = 0;
    int max_positions = 0; // context: prompt + generated tokens
    double norm_eps = 1e-5;
    double rope_theta = 10000.0;
    bool tied_embeddings = false;
    std::int32_t bos = 1;
    std::vector<std::int32_t> eos = {2}; // any of them ends an answer
    DType stored_dtype = DType::F32;
    std::string template_name = "vicuna_v1.1";
    std::string system; // system sentence, from template.json where the folder has one

    bool operator==(const ModelConfig&) const = default;

    // Bytes of keys and values that one token keeps in all layers.
    std::int64_t kvBytesPerToken(DType dtype) const
    {
        return std::int64_t{2} * layers * kv_heads * head_dim * dtypeBytes(dtype);
    }
};

// Throws EngineError(InvalidFile) naming the file, the key, the value found and the value expected;
// unsupported options (another activation, rope scaling, attention bias) are refused, not ignored.
ModelConfig readModelConfig(const std::filesystem::path& model_dir);

} // namespace batchscope::engine
