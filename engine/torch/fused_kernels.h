// SPDX-License-Identifier: GPL-3.0-or-later
// The CPU's work between the matrix products of a LLaMA pass, on plain memory. A sequence's result depends on
// its own tokens alone: attention goes over its own columns and never sees a padded one, so no mask and no
// -inf exists.
#pragma once

#include <cstdint>

namespace batchscope::engine {

// y[i] = x[i] / rms(x) * weight[i] for every row; x, y: [rows, width].
struct NormJob
{
    const float* x;
    const float* weight;
    float* y;
    std::int64_t first, last; // rows
    std::int64_t width;
    float epsilon;
};
void normRows(const NormJob& job);

// y = silu(gate) * up; x: [rows, 2 * width] (gate, then up), y: [rows, width].
struct GateJob
{
    const float* x;
    float* y;
    std::int64_t first, last; // rows
    std::int64_t width;
};
void gateRows(const GateJob& job);

// One head's vector turned to its position (half-split: element i pairs with i + head_dim / 2).
struct TurnJob
{
    const float* x;
    const float* cosine; // [head_dim / 2] of the position
    const float* sine;
    float* y;
    std::int64_t head_dim;
};
void turn(const TurnJob& job);

// Attention of `heads` query heads that share one key and value head, for one token of one sequence.
struct AttendJob
{
    const float* query; // [heads, head_dim]
    const void* keys;   // [columns, head_dim] of this sequence and head, from its first real token on
    const void* values;
    float* out;    // [heads, head_dim]
    float* scores; // room for `columns` rounded up to 16 floats
    std::int64_t columns;
    std::int64_t heads;
    std::int64_t head_dim;
    float scale;
};
void attendF32(const AttendJob& job);  // keys and values f32
void attendBf16(const AttendJob& job); // bf16

struct StoreJob
{
    const float* x;
    std::uint16_t* y;
    std::int64_t count;
};
void storeBf16(const StoreJob& job);

} // namespace batchscope::engine
