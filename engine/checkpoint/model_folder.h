// SPDX-License-Identifier: GPL-3.0-or-later
// A Hugging Face model folder, checked as a whole before a byte of weight is loaded: configuration, weight
// files and every tensor that a LLaMA model needs, with its shape.
#pragma once

#include "engine/checkpoint/model_config.h"
#include "engine/checkpoint/safetensors.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace batchscope::engine {

struct ExpectedTensor
{
    std::string name;
    std::vector<std::int64_t> shape; // a linear layer: [out, in]
    bool operator==(const ExpectedTensor&) const = default;
};

// Every tensor of a LLaMA model of this shape, embedding first, then layer by layer, norm and head (untied)
// last.
std::vector<ExpectedTensor> expectedLlamaTensors(const ModelConfig& config);

// The safetensors files of a folder: model.safetensors, or the shards its index names, or shards or a single
// file under another name. Throws EngineError(InvalidFile) naming the absent shards, or the format that is
// there instead and what to do.
std::vector<std::filesystem::path> findWeightFiles(const std::filesystem::path& model_dir);

class ModelFolder
{
public:
    // Throws EngineError(InvalidFile) naming file, tensor, the value found, the value expected and the
    // remedy.
    explicit ModelFolder(const std::filesystem::path& model_dir);

    const std::filesystem::path& path() const { return m_path; }
    const ModelConfig& config() const { return m_config; } // stored_dtype is the weights' own
    const std::vector<SafetensorsFile>& files() const { return m_files; }

    struct Tensor
    {
        const SafetensorsFile* file = nullptr;
        const TensorInfo* info = nullptr;
        DType dtype = DType::F32;
        std::span<const std::byte> bytes() const { return file->bytes(*info); }
    };
    // In the order of expectedLlamaTensors(); all present, of a supported dtype and of the expected shape.
    const std::vector<Tensor>& tensors() const { return m_tensors; }
    const Tensor& tensor(std::string_view name) const; // throws EngineError(InvalidFile) naming it
    std::int64_t parameters() const { return m_parameters; }
    std::int64_t weightBytes() const { return m_weight_bytes; }

    // 16 hexadecimal digits over the shape in config.json and every tensor's name, dtype, shape and bytes:
    // the same for one file or many shards, whatever the header's order.
    std::string hash() const;

private:
    std::filesystem::path m_path;
    ModelConfig m_config;
    std::vector<SafetensorsFile> m_files;
    std::vector<Tensor> m_tensors;
    std::int64_t m_parameters = 0;
    std::int64_t m_weight_bytes = 0;
};

} // namespace batchscope::engine
