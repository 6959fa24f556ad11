// SPDX-License-Identifier: GPL-3.0-or-later
// The operations of a LLaMA pass, in two forms with one meaning: `fused` for the CPU (own kernels, f32
// between the products, bit for bit the same for a row in any batch) and `aten` for any device that libtorch
// has.
#pragma once

#include "engine/torch/compat.h"
#include "engine/torch/kv_cache.h"

#include <cstdint>
#include <memory>

namespace batchscope::engine {

// A weight that inputs are multiplied with. weight: [outputs, inputs].
class Projection
{
public:
    virtual ~Projection() = default;
    virtual at::Tensor product(const at::Tensor& x) const = 0;             // [n, inputs] -> [n, outputs]
    virtual void addProduct(at::Tensor& y, const at::Tensor& x) const = 0; // y += product(x)
};

// cos and sin of position * theta^(-2i / head_dim), [positions, head_dim / 2], f32, made in double.
struct RotaryTable
{
    at::Tensor cosine;
    at::Tensor sine;
    RotaryTable(std::int64_t positions, std::int64_t head_dim, double theta, at::Device device);
    std::int64_t positions() const { return cosine.size(0); }
};

class Compute
{
public:
    virtual ~Compute() = default;

    virtual at::ScalarType activations() const = 0; // type between the products
    virtual bool readsPadding() const = 0;          // attention multiplies padded columns with 0
    virtual std::unique_ptr<Projection> project(const at::Tensor& weight) = 0;
    virtual std::int64_t projectionBytes() const = 0; // of all projections made so far

    // [n, width]; weight [width] in f32.
    virtual at::Tensor norm(const at::Tensor& x, const at::Tensor& weight, double epsilon) const = 0;
    // gate_up: [n, 2 * width] -> silu(gate) * up, [n, width].
    virtual at::Tensor gate(const at::Tensor& gate_up) const = 0;
    // qkv: [sequences * width, (heads + 2 kv_heads) * head_dim]. Turns queries and keys to their positions,
    // writes keys and values into the cache and returns each query's mix of values, [sequences * width, heads
    // * head_dim]; zeros in the padding.
    virtual at::Tensor attend(at::Tensor& qkv, KvCache& cache, std::int64_t layer, const Sequences& sequences,
                              const RotaryTable& rotary) const = 0;
};

struct HeadShape
{
    std::int64_t heads = 0, kv_heads = 0, head_dim = 0;
};

// type: of weights and cache, f32 or bf16.
std::unique_ptr<Compute> makeFusedCompute(const HeadShape& shape, at::ScalarType type, int threads);
std::unique_ptr<Compute> makeAtenCompute(const HeadShape& shape, at::ScalarType type, at::Device device);

} // namespace batchscope::engine
