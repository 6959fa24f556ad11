// SPDX-License-Identifier: GPL-3.0-or-later
// What the kernel files share: the attribute that compiles a loop for several instruction sets (never under a
// sanitizer, which cannot run before the choice is made), sums in lanes, and an exponential that vectorises.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) &&     \
    !defined(__SANITIZE_THREAD__)
#define BATCHSCOPE_VECTOR_CODE __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define BATCHSCOPE_VECTOR_CODE
#endif
#define BATCHSCOPE_INLINE inline __attribute__((always_inline))

namespace batchscope::engine::training::kernels {

inline constexpr int k_lanes = 16;
// Sixteen floats at any address; the compiler makes of it what the instruction set offers.
using Lanes __attribute__((vector_size(k_lanes * sizeof(float)), aligned(alignof(float)), may_alias)) = float;

BATCHSCOPE_INLINE const Lanes& lanesAt(const float* at)
{
    return *reinterpret_cast<const Lanes*>(at);
}

BATCHSCOPE_INLINE Lanes& lanesAt(float* at)
{
    return *reinterpret_cast<Lanes*>(at);
}

// e^x by x = k ln 2 + f and the Taylor polynomial of degree 6 in f, relative error below 1e-6; x is held in
// [-87, 88].
BATCHSCOPE_INLINE float exponential(float x)
{
    x = std::min(std::max(x, -87.0F), 88.0F);
    constexpr float k_round = 12582912.0F; // 1.5 * 2^23: adding it rounds to an integer
    const float k = (x * 1.44269504F + k_round) - k_round;
    const float f = (x - k * 0.693359375F) + k * 2.12194440e-4F;
    float sum = 1.0F / 720.0F;
    sum = sum * f + 1.0F / 120.0F;
    sum = sum * f + 1.0F / 24.0F;
    sum = sum * f + 1.0F / 6.0F;
    sum = sum * f + 0.5F;
    sum = sum * f + 1.0F;
    sum = sum * f + 1.0F;
    return sum * std::bit_cast<float>((static_cast<std::int32_t>(k) + 127) << 23);
}

// Sum of term(i) for i in [0, count), in lanes, so that it vectorises without reordering by the compiler.
template <typename Term>
BATCHSCOPE_INLINE float laneSum(std::int64_t count, const Term& term)
{
    float lanes[k_lanes] = {};
    std::int64_t i = 0;
    for (; i + k_lanes <= count; i += k_lanes) {
        for (int lane = 0; lane < k_lanes; ++lane) {
            lanes[lane] += term(i + lane);
        }
    }
    float sum = 0;
    for (const float lane : lanes) {
        sum += lane;
    }
    for (; i < count; ++i) {
        sum += term(i);
    }
    return sum;
}

// The largest of values[0..count), count > 0.
BATCHSCOPE_INLINE float laneMost(std::int64_t count, const float* values)
{
    float lanes[k_lanes];
    std::fill(lanes, lanes + k_lanes, values[0]);
    std::int64_t i = 0;
    for (; i + k_lanes <= count; i += k_lanes) {
        for (int lane = 0; lane < k_lanes; ++lane) {
            lanes[lane] = std::max(lanes[lane], values[i + lane]);
        }
    }
    float most = *std::max_element(lanes, lanes + k_lanes);
    for (; i < count; ++i) {
        most = std::max(most, values[i]);
    }
    return most;
}

} // namespace batchscope::engine::training::kernels
