// SPDX-License-Identifier: GPL-3.0-or-later
// Builders of model files, byte by byte: independent of the project's own reader and writer.
#pragma once

#include "engine/checkpoint/model_folder.h"

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace batchscope::tests {

inline void writeBytes(const std::filesystem::path& file, const std::string& bytes)
{
    std::filesystem::create_directories(file.parent_path());
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

inline std::string readBytes(const std::filesystem::path& file)
{
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline std::string littleEndian64(std::uint64_t number)
{
    std::string bytes;
    for (int i = 0; i < 8; ++i)
        bytes += static_cast<char>((number >> (8 * i)) & 0xFFU);
    return bytes;
}

inline std::string safetensorsBytes(const std::string& header, const std::string& data)
{
    return littleEndian64(header.size()) + header + data;
}

struct NamedTensor
{
    std::string name, dtype;
    std::vector<std::int64_t> shape;
    std::string data;
};

inline std::string safetensorsBytes(const std::vector<NamedTensor>& tensors)
{
    std::string header = "{\"__metadata__\":{\"format\":\"pt\"}";
    std::string data;
    for (const NamedTensor& tensor : tensors) {
        std::string shape;
        for (const auto size : tensor.shape)
            shape += (shape.empty() ? "" : ",") + std::to_string(size);
        header += ",\"" + tensor.name + "\":{\"dtype\":\"" + tensor.dtype + "\",\"shape\":[" + shape +
                  "],\"data_offsets\":[" + std::to_string(data.size()) + "," +
                  std::to_string(data.size() + tensor.data.size()) + "]}";
        data += tensor.data;
    }
    return safetensorsBytes(header + "}", data);
}

inline std::string floatBytes(const std::vector<float>& values)
{
    std::string bytes(values.size() * sizeof(float), '\0');
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

// One layer, hidden 8, 2 heads over 1 key/value head, inner 12, vocabulary 300, context 64, untied.
inline std::string tinyConfigJson()
{
    return R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 8,
        "intermediate_size": 12, "num_hidden_layers": 1, "num_attention_heads": 2, "num_key_value_heads": 1,
        "vocab_size": 300, "max_position_embeddings": 64, "rms_norm_eps": 1e-5, "rope_theta": 10000.0,
        "hidden_act": "silu", "tie_word_embeddings": false, "bos_token_id": 1, "eos_token_id": 2,
        "torch_dtype": "float32"})";
}

// Its tensors, in f32; element i of tensor t is t + i/1000.
inline std::vector<NamedTensor> tinyTensors()
{
    engine::ModelConfig config;
    config.hidden = 8;
    config.intermediate = 12;
    config.layers = 1;
    config.heads = 2;
    config.kv_heads = 1;
    config.head_dim = 4;
    config.vocabulary = 300;
    std::vector<NamedTensor> tensors;
    for (const auto& expected : engine::expectedLlamaTensors(config)) {
        std::int64_t elements = 1;
        for (const auto size : expected.shape)
            elements *= size;
        std::vector<float> values(static_cast<std::size_t>(elements));
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<float>(tensors.size()) + static_cast<float>(i) / 1000.0F;
        tensors.push_back({expected.name, "F32", expected.shape, floatBytes(values)});
    }
    return tensors;
}

inline void writeTinyModel(const std::filesystem::path& dir)
{
    writeBytes(dir / "config.json", tinyConfigJson());
    writeBytes(dir / "model.safetensors", safetensorsBytes(tinyTensors()));
}

// A folder of public test data beside the project; absent on a machine that has only the project.
inline std::filesystem::path sharedData(const std::string& name)
{
    return std::filesystem::path(BATCHSCOPE_SOURCE_DIR).parent_path() / "shared" / "data" / name;
}

} // namespace batchscope::tests
