// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of a LLaMA layer between its products, as autograd functions with hand-written backward passes:
// on the CPU they are several times faster than chains of small operations. Products run in `dtype` (f32 or
// bf16).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace batchscope::engine::training {

// Root-mean-square norm: x [rows, width] f32, weight [width] f32 -> [rows, width] in dtype.
at::Tensor rmsNorm(const at::Tensor& x, const at::Tensor& weight, double epsilon, at::ScalarType dtype);

// silu(gate) * up: gate_up [rows, 2 * hidden] -> [rows, hidden], same dtype.
at::Tensor swiGlu(const at::Tensor& gate_up);

// Half-split rotary embedding and causal attention within each sequence (starts: packed_batch.h).
// qkv [rows, 3 * width], cosines and sines [context, width / heads / 2] f32 -> [rows, width], qkv's dtype.
at::Tensor causalAttention(const at::Tensor& qkv, const at::Tensor& cosines, const at::Tensor& sines,
                           const std::vector<std::int64_t>& starts, std::int64_t heads);

// Sum over rows of weight * -log softmax(logits)[target]: logits [rows, vocabulary], targets [rows] int64,
// weights [rows] f32 -> scalar f32.
at::Tensor weightedCrossEntropy(const at::Tensor& logits, const at::Tensor& targets,
                                const at::Tensor& weights);

} // namespace batchscope::engine::training
