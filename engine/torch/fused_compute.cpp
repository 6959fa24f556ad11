// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/torch/compute.h"
#include "engine/torch/fused_kernels.h"
#include "engine/torch/packed_product.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace batchscope::engine {
namespace {

at::Tensor emptyRows(std::int64_t rows, std::int64_t width)
{
    return at::empty({rows, width}, at::kFloat);
}

class FusedProjection final : public Projection
{
public:
    FusedProjection(const at::Tensor& weight, PackedType type, WeightMemory& memory, Workers& workers)
        : m_packed(weight.data_ptr<float>(), weight.size(0), weight.size(1), type, memory, workers),
          m_workers(workers)
    {}
    at::Tensor product(const at::Tensor& x) const override
    {
        at::Tensor y = emptyRows(x.size(0), m_packed.outputs());
        m_packed.apply(x.data_ptr<float>(), x.size(0), y.data_ptr<float>(), false, m_workers);
        return y;
    }
    void addProduct(at::Tensor& y, const at::Tensor& x) const override
    {
        m_packed.apply(x.data_ptr<float>(), x.size(0), y.data_ptr<float>(), true, m_workers);
    }

private:
    PackedProduct m_packed;
    Workers& m_workers;
};

class FusedCompute final : public Compute
{
public:
    FusedCompute(const HeadShape& shape, at::ScalarType type, int threads)
        : m_shape(shape), m_type(type == at::kBFloat16 ? PackedType::BF16 : PackedType::F32),
          m_scale(1.0f / std::sqrt(static_cast<float>(shape.head_dim))), m_workers(threads)
    {}

    at::ScalarType activations() const override { return at::kFloat; }
    bool readsPadding() const override { return false; }
    std::int64_t projectionBytes() const override { return m_memory.usedBytes(); }
    std::unique_ptr<Projection> project(const at::Tensor& weight) override
    {
        return std::make_unique<FusedProjection>(weight.to(at::kFloat).contiguous(), m_type, m_memory,
                                                 m_workers);
    }

    at::Tensor norm(const at::Tensor& x, const at::Tensor& weight, double epsilon) const override
    {
        at::Tensor y = emptyRows(x.size(0), x.size(1));
        overRows(x.size(0), x.size(1), [&](std::int64_t first, std::int64_t last) {
            normRows({x.data_ptr<float>(), weight.data_ptr<float>(), y.data_ptr<float>(), first, last,
                      x.size(1), static_cast<float>(epsilon)});
        });
        return y;
    }

    at::Tensor gate(const at::Tensor& gate_up) const override
    {
        const std::int64_t width = gate_up.size(1) / 2;
        at::Tensor y = emptyRows(gate_up.size(0), width);
        overRows(gate_up.size(0), 4 * width, [&](std::int64_t first, std::int64_t last) {
            gateRows({gate_up.data_ptr<float>(), y.data_ptr<float>(), first, last, width});
        });
        return y;
    }

    at::Tensor attend(at::Tensor& qkv, KvCache& cache, std::int64_t layer, const Sequences& sequences,
                      const RotaryTable& rotary) const override;

private:
    struct Pass; // what attend's parts share

    // Calls work(first, last) over [0, rows), in threads where it is worth their start.
    template <typename Work>
    void overRows(std::int64_t rows, std::int64_t cost_a_row, const Work& work) const
    {
        constexpr std::int64_t k_worth_a_thread = 1 << 13; // floats
        m_workers.share(
            rows, std::max<std::int64_t>(1, k_worth_a_thread / std::max<std::int64_t>(1, cost_a_row)), work);
    }
    void turnAndStore(const Pass& pass, std::int64_t token) const;
    void mix(const Pass& pass, std::int64_t token, std::int64_t kv_head, std::vector<float>& scores) const;

    HeadShape m_shape;
    PackedType m_type;
    float m_scale;
    WeightMemory m_memory;
    mutable Workers m_workers;
};

struct FusedCompute::Pass
{
    float* qkv;
    float* out;
    KvCache& cache;
    std::int64_t layer;
    const Sequences& sequences;
    const RotaryTable& rotary;
    std::int64_t qkv_width;

    template <typename T>
    T* stored(std::int64_t which, std::int64_t sequence, std::int64_t kv_head) const
    {
        const std::int64_t row = sequences.rows[static_cast<std::size_t>(sequence)];
        return static_cast<T*>(cache.data()) + cache.offset(layer, which, row, kv_head);
    }
};

// Token `token` of the pass: its queries turned in place, its keys turned into the cache, its values copied
// there.
void FusedCompute::turnAndStore(const Pass& pass, std::int64_t token) const
{
    const auto [heads, kv_heads, dim] = m_shape;
    const std::int64_t sequence = token / pass.sequences.width, offset = token % pass.sequences.width;
    const std::int64_t position = pass.sequences.position(static_cast<std::size_t>(sequence), offset);
    if (position < 0) return; // padding: nothing ever reads its column
    const std::int64_t place = std::min(position, pass.rotary.positions() - 1) * (dim / 2);
    const float* cosine = pass.rotary.cosine.data_ptr<float>() + place;
    const float* sine = pass.rotary.sine.data_ptr<float>() + place;
    float* qkv = pass.qkv + token * pass.qkv_width;
    constexpr std::int64_t k_widest = 512;
    float turned[k_widest];
    for (std::int64_t head = 0; head < heads; ++head) {
        turn({qkv + head * dim, cosine, sine, turned, dim});
        std::copy(turned, turned + dim, qkv + head * dim);
    }
    const std::int64_t column = (pass.sequences.column + offset) * dim;
    for (std::int64_t head = 0; head < kv_heads; ++head) {
        const float* value = qkv + (heads + kv_heads + head) * dim;
        turn({qkv + (heads + head) * dim, cosine, sine, turned, dim});
        if (m_type == PackedType::F32) {
            std::copy(turned, turned + dim, pass.stored<float>(0, sequence, head) + column);
            std::copy(value, value + dim, pass.stored<float>(1, sequence, head) + column);
        } else {
            storeBf16({turned, pass.stored<std::uint16_t>(0, sequence, head) + column, dim});
            storeBf16({value, pass.stored<std::uint16_t>(1, sequence, head) + column, dim});
        }
    }
}

void FusedCompute::mix(const Pass& pass, std::int64_t token, std::int64_t kv_head,
                       std::vector<float>& scores) const
{
    const auto [heads, kv_heads, dim] = m_shape;
    const std::int64_t group = heads / kv_heads;
    const std::int64_t sequence = token / pass.sequences.width, offset = token % pass.sequences.width;
    float* out = pass.out + (token * heads + kv_head * group) * dim;
    const std::int64_t start = pass.sequences.starts[static_cast<std::size_t>(sequence)];
    const std::int64_t columns = pass.sequences.column + offset + 1 - start;
    if (columns <= 0) { // padding
        std::fill(out, out + group * dim, 0.0f);
        return;
    }
    scores.resize(static_cast<std::size_t>(columns + 16));
    AttendJob job{pass.qkv + token * pass.qkv_width + kv_head * group * dim,
                  nullptr,
                  nullptr,
                  out,
                  scores.data(),
                  columns,
                  group,
                  dim,
                  m_scale};
    if (m_type == PackedType::F32) {
        job.keys = pass.stored<float>(0, sequence, kv_head) + start * dim;
        job.values = pass.stored<float>(1, sequence, kv_head) + start * dim;
        attendF32(job);
    } else {
        job.keys = pass.stored<std::uint16_t>(0, sequence, kv_head) + start * dim;
        job.values = pass.stored<std::uint16_t>(1, sequence, kv_head) + start * dim;
        attendBf16(job);
    }
}

at::Tensor FusedCompute::attend(at::Tensor& qkv, KvCache& cache, std::int64_t layer,
                                const Sequences& sequences, const RotaryTable& rotary) const
{
    const std::int64_t tokens = qkv.size(0);
    at::Tensor out = emptyRows(tokens, m_shape.heads * m_shape.head_dim);
    const Pass pass{
        qkv.data_ptr<float>(), out.data_ptr<float>(), cache, layer, sequences, rotary, qkv.size(1)};
    overRows(tokens, 2 * qkv.size(1), [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t token = first; token < last; ++token)
            turnAndStore(pass, token);
    });
    const std::int64_t columns = sequences.column + sequences.width;
    const std::int64_t cost = 2 * columns * m_shape.head_dim * (m_shape.heads / m_shape.kv_heads);
    overRows(tokens * m_shape.kv_heads, cost, [&](std::int64_t first, std::int64_t last) {
        thread_local std::vector<float> scores;
        for (std::int64_t i = first; i < last; ++i)
            mix(pass, i / m_shape.kv_heads, i % m_shape.kv_heads, scores);
    });
    return out;
}

} // namespace

std::unique_ptr<Compute> makeFusedCompute(const HeadShape& shape, at::ScalarType type, int threads)
{
    return std::make_unique<FusedCompute>(shape, type, threads);
}

} // namespace batchscope::engine
