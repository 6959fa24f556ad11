// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/torch/training/llama_forward.h"

#include "engine/torch/training/training_functions.h"

#include <ATen/ATen.h>

namespace batchscope::engine::training {
namespace {

at::Tensor asTensor(const std::vector<std::int64_t>& values)
{
    return at::tensor(values, at::kLong);
}

} // namespace

LlamaForward::LlamaForward(const LlamaParameters& parameters)
    : m_shape(parameters.shape()), m_dtype(parameters.productDtype())
{
    const int half = m_shape.width / m_shape.heads / 2;
    const at::Tensor exponents = at::arange(half, at::kDouble).div_(half);
    const at::Tensor frequencies = at::pow(m_shape.rope_base, exponents).reciprocal_();
    const at::Tensor angles = at::arange(m_shape.context, at::kDouble).unsqueeze(1).mul(frequencies);
    m_cosines = angles.cos().to(at::kFloat);
    m_sines = angles.sin().to(at::kFloat);
}

at::Tensor LlamaForward::logits(const ParameterLeaves& leaves, const PackedBatch& batch) const
{
    at::Tensor x = at::index_select(leaves["embedding"], 0, asTensor(batch.tokens)); // [rows, width] f32
    for (int layer = 0; layer < m_shape.layers; ++layer) {
        const std::string at = std::to_string(layer) + ".";
        const at::Tensor normed = rmsNorm(x, leaves[at + "norm_in"], m_shape.norm_epsilon, m_dtype);
        const at::Tensor mixed = causalAttention(at::linear(normed, leaves[at + "qkv"]), m_cosines, m_sines,
                                                 batch.starts, m_shape.heads);
        x = at::add(x, at::linear(mixed, leaves[at + "out"]));
        const at::Tensor gated = swiGlu(at::linear(
            rmsNorm(x, leaves[at + "norm_mid"], m_shape.norm_epsilon, m_dtype), leaves[at + "gate_up"]));
        x = at::add(x, at::linear(gated, leaves[at + "down"]));
    }
    const at::Tensor last = at::index_select(x, 0, asTensor(batch.target_rows));
    return at::linear(rmsNorm(last, leaves["norm"], m_shape.norm_epsilon, m_dtype), leaves["head"]);
}

at::Tensor LlamaForward::loss(const ParameterLeaves& leaves, const PackedBatch& batch) const
{
    return weightedCrossEntropy(logits(leaves, batch), asTensor(batch.targets),
                                at::tensor(batch.weights, at::kFloat));
}

} // namespace batchscope::engine::training
