// SPDX-License-Identifier: GPL-3.0-or-later
// A LLaMA's parameters for training: one flat f32 master buffer, and for the matrices a copy in the dtype
// that products run in. Query, key and value lie in one matrix, gate and up in another; names are given at
// export.
#pragma once

#include "engine/demo/training_plan.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace batchscope::engine::training {

struct ParameterSlot
{
    std::string
        name; // "embedding", "norm", "head", "3.qkv", "3.out", "3.gate_up", "3.down", "3.norm_in", ...
    std::int64_t rows = 0;
    std::int64_t columns = 0; // 0: a vector
    std::int64_t offset = 0;  // in the flat buffer
    double deviation = 0;     // of its initial values; 0: ones
    bool decays = false;

    std::int64_t count() const { return columns == 0 ? rows : rows * columns; }
};

class LlamaParameters
{
public:
    // Seeded normal initial values from our own generator.
    LlamaParameters(const LlamaShape& shape, bool bfloat16, std::uint64_t seed);

    const LlamaShape& shape() const { return m_shape; }
    const std::vector<ParameterSlot>& slots() const { return m_slots; }
    std::int64_t count() const { return m_master.numel(); }
    at::ScalarType productDtype() const { return m_products.scalar_type(); }
    at::Tensor& master() { return m_master; } // [count] f32
    at::Tensor& products()
    {
        return m_products;
    } // [count] f32 or bf16: what the forward pass multiplies with
    // Writes products from master in [first, last).
    void refreshProducts(std::int64_t first, std::int64_t last);

    // Writes config.json, generation_config.json and model.safetensors (bf16, Hugging Face names), each
    // complete or not at all. Throws EngineError(InvalidFile) naming the file.
    void writeFolder(const std::filesystem::path& folder) const;

private:
    LlamaShape m_shape;
    std::vector<ParameterSlot> m_slots;
    at::Tensor m_master;
    at::Tensor m_products;
};

// One worker's view of the parameters as autograd leaves, whose gradients accumulate in buffers of its own.
struct ParameterLeaves
{
    explicit ParameterLeaves(LlamaParameters& parameters);
    const at::Tensor& operator[](const std::string& name) const;
    void zeroGradients();

    at::Tensor gradients;        // [count] of the product dtype: matrices
    at::Tensor vector_gradients; // [count] f32: embedding and norms
    std::vector<std::pair<std::string, at::Tensor>> leaves;
};

// Embedding and norms are read in f32, matrices in the product dtype.
bool isMatrix(const ParameterSlot& slot);

} // namespace batchscope::engine::training
