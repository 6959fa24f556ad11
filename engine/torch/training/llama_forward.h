// SPDX-License-Identifier: GPL-3.0-or-later
// The forward pass of training: packed sequences in, logits of the target rows out. Same function as the
// inference engine's, differentiable, without a KV cache.
#pragma once

#include "engine/torch/training/llama_parameters.h"
#include "engine/torch/training/packed_batch.h"

namespace batchscope::engine::training {

class LlamaForward
{
public:
    explicit LlamaForward(const LlamaParameters& parameters);

    // Logits of the batch's target rows: [targets, vocabulary] in the product dtype.
    at::Tensor logits(const ParameterLeaves& leaves, const PackedBatch& batch) const;
    // Weighted loss of the batch (training_functions.h), a scalar.
    at::Tensor loss(const ParameterLeaves& leaves, const PackedBatch& batch) const;

private:
    LlamaShape m_shape;
    at::ScalarType m_dtype;
    at::Tensor m_cosines; // [context, head_dim / 2]
    at::Tensor m_sines;
};

} // namespace batchscope::engine::training
