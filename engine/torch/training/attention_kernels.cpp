// SPDX-License-Identifier: GPL-3.0-or-later
// Causal attention of one sequence, forward and back. Only the lower triangle is computed. A head's sums run
// over rows (of keys or of queries) with a block of columns held in registers.
#include "engine/torch/training/kernels.h"
#include "engine/torch/training/vector_code.h"

#include <cmath>
#include <vector>

namespace batchscope::engine::training::kernels {
namespace {

constexpr std::int64_t padded(std::int64_t n)
{
    return (n + k_lanes - 1) / k_lanes * k_lanes;
}

// Rows of qkv into head-major blocks; queries and keys rotated (half-split), queries scaled by dim^-1/2.
template <typename T>
BATCHSCOPE_INLINE void split(const AttentionShape& s, const T* qkv, float* blocks)
{
    const std::int64_t width = s.heads * s.dim, half = s.dim / 2;
    const float scale = 1.0F / std::sqrt(static_cast<float>(s.dim));
    for (std::int64_t block = 0; block < 3 * s.heads; ++block) {
        const std::int64_t part = block / s.heads;
        const float by = part == 0 ? scale : 1.0F;
        for (std::int64_t row = 0; row < s.n; ++row) {
            const T* from = qkv + row * 3 * width + block * s.dim;
            float* to = blocks + (block * s.n + row) * s.dim;
            for (std::int64_t i = 0; i < half; ++i) {
                const float cosine = part == 2 ? 1.0F : s.cosines[row * half + i];
                const float sine = part == 2 ? 0.0F : s.sines[row * half + i];
                const float a = static_cast<float>(from[i]) * by;
                const float b = static_cast<float>(from[i + half]) * by;
                to[i] = a * cosine - b * sine;
                to[i + half] = b * cosine + a * sine;
            }
        }
    }
}

// The transpose of split, for gradients.
template <typename T>
BATCHSCOPE_INLINE void unsplit(const AttentionShape& s, const float* blocks, T* qkv)
{
    const std::int64_t width = s.heads * s.dim, half = s.dim / 2;
    const float scale = 1.0F / std::sqrt(static_cast<float>(s.dim));
    for (std::int64_t block = 0; block < 3 * s.heads; ++block) {
        const std::int64_t part = block / s.heads;
        const float by = part == 0 ? scale : 1.0F;
        for (std::int64_t row = 0; row < s.n; ++row) {
            const float* from = blocks + (block * s.n + row) * s.dim;
            T* to = qkv + row * 3 * width + block * s.dim;
            for (std::int64_t i = 0; i < half; ++i) {
                const float cosine = part == 2 ? 1.0F : s.cosines[row * half + i];
                const float sine = part == 2 ? 0.0F : s.sines[row * half + i];
                const float a = from[i] * by;
                const float b = from[i + half] * by;
                to[i] = T(a * cosine + b * sine);
                to[i + half] = T(b * cosine - a * sine);
            }
        }
    }
}

// columns [dim][padded(n)], zero behind n.
BATCHSCOPE_INLINE void transpose(std::int64_t n, std::int64_t dim, const float* rows, float* columns)
{
    const std::int64_t stride = padded(n);
    std::fill(columns, columns + dim * stride, 0.0F);
    for (std::int64_t row = 0; row < n; ++row) {
        for (std::int64_t i = 0; i < dim; ++i) {
            columns[i * stride + row] = rows[row * dim + i];
        }
    }
}

// out[0..count) = sum over i of left[i] * columns[i][0..count); columns have `stride`, a multiple of k_lanes,
// and out has room up to the next multiple.
BATCHSCOPE_INLINE void products(std::int64_t count, std::int64_t stride, std::int64_t dim,
                                const float* __restrict left, const float* __restrict columns,
                                float* __restrict out)
{
    for (std::int64_t j = 0; j < count; j += k_lanes) {
        const float* column = columns + j;
        Lanes even = {}, odd = {};
        for (std::int64_t i = 0; i < dim; i += 2, column += 2 * stride) {
            even += left[i] * lanesAt(column);
            odd += left[i + 1] * lanesAt(column + stride);
        }
        lanesAt(out + j) = even + odd;
    }
}

// out[0..dim) = sum over k in [0, count) of factors[k * stride] * rows[k][0..dim).
BATCHSCOPE_INLINE void weightedRows(std::int64_t count, std::int64_t dim, const float* __restrict factors,
                                    std::int64_t stride, const float* __restrict rows, float* __restrict out)
{
    for (std::int64_t i = 0; i < dim; i += 2 * k_lanes) {
        const bool both = i + k_lanes < dim;
        const std::int64_t next = both ? k_lanes : 0;
        Lanes even = {}, odd = {}, even_next = {}, odd_next = {};
        std::int64_t k = 0;
        for (; k + 2 <= count; k += 2) {
            const float a = factors[k * stride], b = factors[(k + 1) * stride];
            const float* row = rows + k * dim + i;
            even += a * lanesAt(row);
            even_next += a * lanesAt(row + next);
            odd += b * lanesAt(row + dim);
            odd_next += b * lanesAt(row + dim + next);
        }
        if (k < count) {
            const float* row = rows + k * dim + i;
            even += factors[k * stride] * lanesAt(row);
            even_next += factors[k * stride] * lanesAt(row + next);
        }
        lanesAt(out + i) = even + odd;
        if (both) {
            lanesAt(out + i + k_lanes) = even_next + odd_next;
        }
    }
}

BATCHSCOPE_INLINE void softmaxRow(std::int64_t count, std::int64_t n, const float* __restrict scores,
                                  float* __restrict shares)
{
    const float most = laneMost(count, scores);
    for (std::int64_t j = 0; j < count; ++j) {
        shares[j] = exponential(scores[j] - most);
    }
    const float by = 1.0F / laneSum(count, [shares](std::int64_t j) { return shares[j]; });
    for (std::int64_t j = 0; j < count; ++j) {
        shares[j] *= by;
    }
    std::fill(shares + count, shares + n, 0.0F);
}

template <typename T>
BATCHSCOPE_INLINE void forward(const AttentionShape& s, const T* qkv, float* blocks, float* shares, T* out,
                               float* scratch)
{
    split(s, qkv, blocks);
    const std::int64_t size = s.n * s.dim;
    for (std::int64_t head = 0; head < s.heads; ++head) {
        const float* query = blocks + head * size;
        const float* value = blocks + (2 * s.heads + head) * size;
        transpose(s.n, s.dim, blocks + (s.heads + head) * size, scratch);
        float* scores = scratch + padded(s.n) * s.dim;
        float* mixed = scores + padded(s.n);
        for (std::int64_t row = 0; row < s.n; ++row) {
            float* share = shares + (head * s.n + row) * s.n;
            products(row + 1, padded(s.n), s.dim, query + row * s.dim, scratch, scores);
            softmaxRow(row + 1, s.n, scores, share);
            weightedRows(row + 1, s.dim, share, 1, value, mixed);
            T* to = out + (row * s.heads + head) * s.dim;
            for (std::int64_t i = 0; i < s.dim; ++i) {
                to[i] = T(mixed[i]);
            }
        }
    }
}

template <typename T>
BATCHSCOPE_INLINE void backward(const AttentionShape& s, const T* g_out, const float* blocks,
                                const float* shares, T* g_qkv, float* scratch)
{
    const std::int64_t size = s.n * s.dim;
    float* g_blocks = scratch; // [3][heads][n][dim]
    const std::int64_t stride = padded(s.n);
    float* columns = g_blocks + 3 * s.heads * size; // [dim][stride]
    float* g_mixed = columns + stride * s.dim;      // [n][dim]
    float* g_scores = g_mixed + size;               // [n][stride]
    for (std::int64_t head = 0; head < s.heads; ++head) {
        const float* share = shares + head * s.n * s.n;
        for (std::int64_t row = 0; row < s.n; ++row) {
            for (std::int64_t i = 0; i < s.dim; ++i) {
                g_mixed[row * s.dim + i] = static_cast<float>(g_out[(row * s.heads + head) * s.dim + i]);
            }
        }
        transpose(s.n, s.dim, blocks + (2 * s.heads + head) * size, columns);
        for (std::int64_t row = 0; row < s.n; ++row) {
            float* g = g_scores + row * stride;
            const float* p = share + row * s.n;
            products(row + 1, stride, s.dim, g_mixed + row * s.dim, columns, g);
            const float dot = laneSum(row + 1, [=](std::int64_t j) { return g[j] * p[j]; });
            for (std::int64_t j = 0; j <= row; ++j) {
                g[j] = p[j] * (g[j] - dot);
            }
            weightedRows(row + 1, s.dim, g, 1, blocks + (s.heads + head) * size,
                         g_blocks + head * size + row * s.dim);
        }
        for (std::int64_t row = 0; row < s.n; ++row) { // of keys and values: queries from it on
            const std::int64_t left = s.n - row;
            weightedRows(left, s.dim, g_scores + row * stride + row, stride,
                         blocks + head * size + row * s.dim,
                         g_blocks + (s.heads + head) * size + row * s.dim);
            weightedRows(left, s.dim, share + row * s.n + row, s.n, g_mixed + row * s.dim,
                         g_blocks + (2 * s.heads + head) * size + row * s.dim);
        }
    }
    unsplit(s, g_blocks, g_qkv);
}

std::vector<float>& scratchOf(std::int64_t count)
{
    thread_local std::vector<float> scratch;
    if (scratch.size() < static_cast<std::size_t>(count)) {
        scratch.resize(static_cast<std::size_t>(count));
    }
    return scratch;
}

float* forwardScratch(const AttentionShape& s)
{
    return scratchOf(padded(s.n) * (s.dim + 1) + s.dim).data();
}

float* backwardScratch(const AttentionShape& s)
{
    return scratchOf((3 * s.heads + 1) * s.n * s.dim + padded(s.n) * (s.dim + s.n)).data();
}

BATCHSCOPE_VECTOR_CODE
void forwardF32(const AttentionShape& s, const float* qkv, float* blocks, float* shares, float* out,
                float* scratch)
{
    forward(s, qkv, blocks, shares, out, scratch);
}

BATCHSCOPE_VECTOR_CODE
void forwardBf16(const AttentionShape& s, const Bf16* qkv, float* blocks, float* shares, Bf16* out,
                 float* scratch)
{
    forward(s, qkv, blocks, shares, out, scratch);
}

BATCHSCOPE_VECTOR_CODE
void backwardF32(const AttentionShape& s, const float* g_out, const float* blocks, const float* shares,
                 float* g_qkv, float* scratch)
{
    backward(s, g_out, blocks, shares, g_qkv, scratch);
}

BATCHSCOPE_VECTOR_CODE
void backwardBf16(const AttentionShape& s, const Bf16* g_out, const float* blocks, const float* shares,
                  Bf16* g_qkv, float* scratch)
{
    backward(s, g_out, blocks, shares, g_qkv, scratch);
}

} // namespace

void attention(const AttentionShape& shape, const float* qkv, float* blocks, float* shares, float* out)
{
    forwardF32(shape, qkv, blocks, shares, out, forwardScratch(shape));
}

void attention(const AttentionShape& shape, const Bf16* qkv, float* blocks, float* shares, Bf16* out)
{
    forwardBf16(shape, qkv, blocks, shares, out, forwardScratch(shape));
}

void attentionBackward(const AttentionShape& shape, const float* g_out, const float* blocks,
                       const float* shares, float* g_qkv)
{
    backwardF32(shape, g_out, blocks, shares, g_qkv, backwardScratch(shape));
}

void attentionBackward(const AttentionShape& shape, const Bf16* g_out, const float* blocks,
                       const float* shares, Bf16* g_qkv)
{
    backwardBf16(shape, g_out, blocks, shares, g_qkv, backwardScratch(shape));
}

} // namespace batchscope::engine::training::kernels
