// SPDX-License-Identifier: GPL-3.0-or-later
// Plain CPU loops of the training functions, one thread each; compiled for several instruction sets and
// chosen when the program starts. Row-major; Bf16 rounds to nearest even. Rows = tokens laid end to end.
#pragma once

#include <bit>
#include <cstdint>

namespace batchscope::engine::training::kernels {

struct Bf16
{
    std::uint16_t bits;

    Bf16() = default;
    explicit Bf16(float value)
    {
        const auto raw = std::bit_cast<std::uint32_t>(value);
        bits = static_cast<std::uint16_t>((raw + 0x7fffU + ((raw >> 16) & 1U)) >> 16);
    }
    explicit operator float() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }
};

// x [rows, width], weight [width] -> y [rows, width], inverse [rows] = 1 / root mean square.
struct RmsNormShape
{
    std::int64_t rows, width;
    float epsilon;
};
void rmsNorm(const RmsNormShape& shape, const float* x, const float* weight, float* y, float* inverse);
void rmsNorm(const RmsNormShape& shape, const float* x, const float* weight, Bf16* y, float* inverse);
// g_y [rows, width] -> g_x [rows, width], g_weight [width] (set, not added to).
void rmsNormBackward(const RmsNormShape& shape, const float* g_y, const float* x, const float* weight,
                     const float* inverse, float* g_x, float* g_weight);
void rmsNormBackward(const RmsNormShape& shape, const Bf16* g_y, const float* x, const float* weight,
                     const float* inverse, float* g_x, float* g_weight);

// gate_up [rows, 2 * hidden] -> out [rows, hidden] = silu(gate) * up, and back.
void swiGlu(std::int64_t rows, std::int64_t hidden, const float* gate_up, float* out);
void swiGlu(std::int64_t rows, std::int64_t hidden, const Bf16* gate_up, Bf16* out);
void swiGluBackward(std::int64_t rows, std::int64_t hidden, const float* gate_up, const float* g_out,
                    float* g_gate_up);
void swiGluBackward(std::int64_t rows, std::int64_t hidden, const Bf16* gate_up, const Bf16* g_out,
                    Bf16* g_gate_up);

// One sequence of n rows. blocks: [3][heads][n][dim] f32 = rotated scaled queries, rotated keys, values.
// shares: [heads][n][n] causal attention weights, zero above the diagonal. dim is a multiple of 16.
struct AttentionShape
{
    std::int64_t n, heads, dim;
    const float* cosines; // [n, dim / 2]
    const float* sines;
};
void attention(const AttentionShape& shape, const float* qkv, float* blocks, float* shares, float* out);
void attention(const AttentionShape& shape, const Bf16* qkv, float* blocks, float* shares, Bf16* out);
// g_out [n, heads * dim] -> g_qkv [n, 3 * heads * dim].
void attentionBackward(const AttentionShape& shape, const float* g_out, const float* blocks,
                       const float* shares, float* g_qkv);
void attentionBackward(const AttentionShape& shape, const Bf16* g_out, const float* blocks,
                       const float* shares, Bf16* g_qkv);

} // namespace batchscope::engine::training::kernels
