// SPDX-License-Identifier: GPL-3.0-or-later
// y = x W^T on the CPU for few rows: W is packed once, at load, into panels of 32 outputs, so that a pass
// reads it in one stream (libtorch packs it anew at every call; reference/peer_engine.md). Every output is
// one chain of additions over the inputs in order, whatever the number of rows: rows of a batch are bit for
// bit what they are alone.
#pragma once

#include "engine/torch/weight_memory.h"
#include "engine/torch/workers.h"

#include <cstdint>

namespace batchscope::engine {

enum class PackedType { F32, BF16 }; // bf16: products of bf16 weights and inputs, summed in f32

class PackedProduct
{
public:
    // weight: [outputs, inputs], row-major, f32 (bf16 values are exact in it). `memory` must outlive this.
    PackedProduct(const float* weight, std::int64_t outputs, std::int64_t inputs, PackedType type,
                  WeightMemory& memory, Workers& workers);

    std::int64_t outputs() const { return m_outputs; }
    std::int64_t inputs() const { return m_inputs; }

    // x: [rows, inputs], y: [rows, outputs]; with `add` the product is added to what y holds.
    void apply(const float* x, std::int64_t rows, float* y, bool add, Workers& workers) const;

private:
    std::int64_t m_outputs;
    std::int64_t m_inputs;
    PackedType m_type;
    const void* m_panels = nullptr; // f32: [panel][input][32]; bf16: [panel][pair of inputs][32][2]
};

} // namespace batchscope::engine
