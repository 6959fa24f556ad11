// SPDX-License-Identifier: GPL-3.0-or-later
// A small LLaMA with random weights in a Hugging Face folder: answers nothing sensible, but every number of a
// pass is in play.
#pragma once

#include "scheduler/random.h"
#include "scheduler/request.h"
#include "tests/support/model_files.h"

#include <cmath>
#include <filesystem>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace batchscope::tests {

struct RandomLlama
{
    int hidden = 64, layers = 2, heads = 4, kv_heads = 2, inner = 96, vocabulary = 256, context = 128;
    bool tied = false;
    int eos = 2;
    std::uint64_t seed = 1;
    std::function<void(std::vector<NamedTensor>&)> change; // last, before the file is written
};

inline std::string configJson(const RandomLlama& model)
{
    const auto number = [](const char* key, int value) {
        return "\"" + std::string(key) + "\":" + std::to_string(value);
    };
    return "{\"architectures\":[\"LlamaForCausalLM\"],\"model_type\":\"llama\",\"hidden_act\":\"silu\","
           "\"rms_norm_eps\":1e-5,\"rope_theta\":10000.0,\"torch_dtype\":\"float32\",\"tie_word_"
           "embeddings\":" +
           std::string(model.tied ? "true" : "false") + "," + number("hidden_size", model.hidden) + "," +
           number("intermediate_size", model.inner) + "," + number("num_hidden_layers", model.layers) + "," +
           number("num_attention_heads", model.heads) + "," + number("num_key_value_heads", model.kv_heads) +
           "," + number("vocab_size", model.vocabulary) + "," +
           number("max_position_embeddings", model.context) + "," + number("bos_token_id", 1) + "," +
           number("eos_token_id", model.eos) + "}";
}

inline engine::ModelConfig configOf(const RandomLlama& model)
{
    engine::ModelConfig config;
    config.hidden = model.hidden;
    config.intermediate = model.inner;
    config.layers = model.layers;
    config.heads = model.heads;
    config.kv_heads = model.kv_heads;
    config.head_dim = model.hidden / model.heads;
    config.vocabulary = model.vocabulary;
    config.tied_embeddings = model.tied;
    return config;
}

inline void writeRandomLlama(const std::filesystem::path& dir, const RandomLlama& model)
{
    Random random(model.seed);
    std::vector<NamedTensor> tensors;
    for (const auto& expected : engine::expectedLlamaTensors(configOf(model))) {
        const auto elements = std::accumulate(expected.shape.begin(), expected.shape.end(), std::int64_t{1},
                                              std::multiplies<>());
        const bool is_norm = expected.shape.size() == 1;
        const bool is_embedding = expected.name == "model.embed_tokens.weight";
        const double sd = is_embedding ? 1.0 : 1.5 / std::sqrt(static_cast<double>(expected.shape.back()));
        std::vector<float> values(static_cast<std::size_t>(elements));
        for (float& value : values)
            value = static_cast<float>(is_norm ? 1 + 0.1 * random.normal() : sd * random.normal());
        tensors.push_back({expected.name, "F32", expected.shape, floatBytes(values)});
    }
    if (model.change) model.change(tensors);
    writeBytes(dir / "config.json", configJson(model));
    writeBytes(dir / "model.safetensors", safetensorsBytes(tensors));
}

inline std::vector<TokenId> randomPrompt(Random& random, int tokens, int vocabulary = 256)
{
    std::vector<TokenId> ids{1};
    while (static_cast<int>(ids.size()) < tokens)
        ids.push_back(3 + static_cast<TokenId>(random.below(static_cast<std::uint32_t>(vocabulary) - 3)));
    return ids;
}

} // namespace batchscope::tests
