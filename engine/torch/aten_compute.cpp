// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/torch/compute.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/silu.h>
#include <cmath>
#include <vector>

namespace batchscope::engine {
namespace {

class AtenProjection final : public Projection
{
public:
    explicit AtenProjection(at::Tensor weight) : m_weight(std::move(weight)) {}
    at::Tensor product(const at::Tensor& x) const override { return at::linear(x, m_weight); }
    void addProduct(at::Tensor& y, const at::Tensor& x) const override { y.add_(at::linear(x, m_weight)); }

private:
    at::Tensor m_weight;
};

class AtenCompute final : public Compute
{
public:
    AtenCompute(const HeadShape& shape, at::ScalarType type, at::Device device)
        : m_shape(shape), m_type(type), m_device(device)
    {}

    at::ScalarType activations() const override { return m_type; }
    bool readsPadding() const override { return true; }
    std::unique_ptr<Projection> project(const at::Tensor& weight) override
    {
        at::Tensor placed = weight.to(m_device, m_type).contiguous();
        m_projection_bytes += placed.numel() * static_cast<std::int64_t>(placed.element_size());
        return std::make_unique<AtenProjection>(std::move(placed));
    }
    std::int64_t projectionBytes() const override { return m_projection_bytes; }
    at::Tensor norm(const at::Tensor& x, const at::Tensor& weight, double epsilon) const override
    {
        const at::Tensor wide = x.to(at::kFloat);
        const at::Tensor factor = at::rsqrt(wide.square().mean(-1, true) + epsilon);
        return (wide * factor * weight).to(m_type);
    }
    at::Tensor gate(const at::Tensor& gate_up) const override
    {
        const auto parts = gate_up.chunk(2, -1);
        return at::silu(parts[0]) * parts[1];
    }
    at::Tensor attend(at::Tensor& qkv, KvCache& cache, std::int64_t layer, const Sequences& sequences,
                      const RotaryTable& rotary) const override;

private:
    at::Tensor turned(const at::Tensor& x, const at::Tensor& cosine, const at::Tensor& sine) const
    {
        const auto halves = x.to(at::kFloat).chunk(2, -1);
        return at::cat({halves[0] * cosine - halves[1] * sine, halves[1] * cosine + halves[0] * sine}, -1)
            .to(m_type);
    }

    HeadShape m_shape;
    at::ScalarType m_type;
    at::Device m_device;
    std::int64_t m_projection_bytes = 0;
};

at::Tensor AtenCompute::attend(at::Tensor& qkv, KvCache& cache, std::int64_t layer,
                               const Sequences& sequences, const RotaryTable& rotary) const
{
    const auto [heads, kv_heads, dim] = m_shape;
    const std::int64_t count = sequences.count(), width = sequences.width, first = sequences.column;
    const at::Tensor starts = at::tensor(at::IntArrayRef(sequences.starts), at::kLong).to(m_device);
    const at::Tensor columns =
        at::arange(first + width, at::TensorOptions().dtype(at::kLong).device(m_device));
    const at::Tensor own = columns.narrow(0, first, width); // [width]
    const at::Tensor positions = (own.unsqueeze(0) - starts.unsqueeze(1)).clamp(0, rotary.positions() - 1);
    const auto table = [&](const at::Tensor& t) { // [count, width, 1, head_dim / 2]
        return at::index_select(t, 0, positions.flatten()).view({count, width, 1, dim / 2});
    };
    const at::Tensor cosine = table(rotary.cosine), sine = table(rotary.sine);
    const auto parts =
        qkv.view({count, width, heads + 2 * kv_heads, dim}).split_with_sizes({heads, kv_heads, kv_heads}, 2);
    const at::Tensor query =
        turned(parts[0], cosine, sine).transpose(1, 2); // [count, heads, width, head_dim]
    at::Tensor seen[2];                                 // [count, kv_heads, first + width, head_dim]
    const at::Tensor rows = at::tensor(at::IntArrayRef(sequences.rows), at::kLong).to(m_device);
    const at::Tensor fresh[2] = {turned(parts[1], cosine, sine).transpose(1, 2), parts[2].transpose(1, 2)};
    for (std::int64_t which = 0; which < 2; ++which) {
        at::Tensor all = cache.layer(layer, which);
        const bool whole = count == cache.rows();
        if (whole) {
            all.narrow(2, first, width).copy_(fresh[which]);
            seen[which] = all.narrow(2, 0, first + width);
        } else {
            all.narrow(2, first, width).index_copy_(0, rows, fresh[which]);
            seen[which] = at::index_select(all.narrow(2, 0, first + width), 0, rows);
        }
        if (heads != kv_heads) seen[which] = seen[which].repeat_interleave(heads / kv_heads, 1);
    }
    // A padded query sees its own column, so that no query sees nothing (a row of -inf would give NaN).
    const at::Tensor to = own.view({1, width, 1}), from = columns.view({1, 1, first + width});
    const at::Tensor allowed =
        (from <= to).logical_and((from >= starts.view({count, 1, 1})).logical_or(from == to));
    const at::Tensor mixed = maskedAttention(query, seen[0], seen[1], allowed.unsqueeze(1),
                                             1.0 / std::sqrt(static_cast<double>(dim)));
    return mixed.transpose(1, 2).reshape({count * width, heads * dim});
}

} // namespace

std::unique_ptr<Compute> makeAtenCompute(const HeadShape& shape, at::ScalarType type, at::Device device)
{
    return std::make_unique<AtenCompute>(shape, type, device);
}

} // namespace batchscope::engine
