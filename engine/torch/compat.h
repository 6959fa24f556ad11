// SPDX-License-Identifier: GPL-3.0-or-later
// The one place that knows libtorch's versions (1.13 and 2.x), and the narrow set of headers that the room
// uses.
#pragma once

#ifndef AT_PER_OPERATOR_HEADERS
#define AT_PER_OPERATOR_HEADERS // libtorch's headers then include the operators they need, not all 2,000
#endif
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <c10/core/InferenceMode.h>
#include <torch/version.h>
#if TORCH_VERSION_MAJOR >= 2
#include <ATen/ops/scaled_dot_product_attention.h>
#else
#include <ATen/ops/matmul.h>
#endif

#include <cstdint>

namespace batchscope::engine {

// softmax(q k^T * scale, where allowed) v; q: [rows, heads, queries, head_dim], k, v: [rows, heads, columns,
// head_dim], allowed: [rows, 1, queries, columns] of bool with at least one column a query. 1.13 has no fused
// form of it.
inline at::Tensor maskedAttention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                  const at::Tensor& allowed, double scale)
{
#if TORCH_VERSION_MAJOR >= 2
    return at::scaled_dot_product_attention(q, k, v, allowed, 0.0, false, scale);
#else
    const auto scores = (at::matmul(q, k.transpose(-1, -2)) * scale).masked_fill(allowed.logical_not(), -1e9);
    return at::matmul(at::softmax(scores, -1, at::kFloat).to(q.scalar_type()), v);
#endif
}

} // namespace batchscope::engine
