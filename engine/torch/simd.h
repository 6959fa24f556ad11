// SPDX-License-Identifier: GPL-3.0-or-later
// Sixteen floats at a time, in the compiler's portable vectors, and the choice of instruction set at run
// time. A kernel is written once as `name##Body` and compiled for each level; none of them lets the number of
// rows change the order in which a row's products are added, so that a row's result never depends on its
// batch.
#pragma once

#include "engine/torch/cpu_level.h"

#include <cmath>
#include <cstdint>
#include <cstring>

namespace batchscope::engine::simd {

#if defined(__x86_64__)
#define BATCHSCOPE_AVX2 __attribute__((target("avx2,fma")))
#define BATCHSCOPE_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx2,fma")))
#else
#define BATCHSCOPE_AVX2
#define BATCHSCOPE_AVX512
#endif
#define BATCHSCOPE_INLINE inline __attribute__((always_inline))

// Defines a file's own `void name(const Arguments&)`, which runs nameBody in the best variant this processor
// has.
#define BATCHSCOPE_LOCAL_KERNEL(name, Arguments)                                                             \
    void name##Baseline(const Arguments& a)                                                                  \
    {                                                                                                        \
        name##Body(a);                                                                                       \
    }                                                                                                        \
    BATCHSCOPE_AVX2 void name##Avx2(const Arguments& a)                                                      \
    {                                                                                                        \
        name##Body(a);                                                                                       \
    }                                                                                                        \
    BATCHSCOPE_AVX512 void name##Avx512(const Arguments& a)                                                  \
    {                                                                                                        \
        name##Body(a);                                                                                       \
    }                                                                                                        \
    void name(const Arguments& a)                                                                            \
    {                                                                                                        \
        const auto level = simd::level();                                                                    \
        if (level >= simd::Level::Avx512) return name##Avx512(a);                                            \
        if (level == simd::Level::Avx2) return name##Avx2(a);                                                \
        name##Baseline(a);                                                                                   \
    }

inline constexpr int k_lanes = 16;
using Floats = float __attribute__((vector_size(64)));
using Ints = std::int32_t __attribute__((vector_size(64)));
using Halves = std::uint16_t __attribute__((vector_size(32)));

template <typename Vector, typename T>
BATCHSCOPE_INLINE Vector load(const T* from)
{
    Vector v;
    std::memcpy(&v, from, sizeof v);
    return v;
}
template <typename Vector, typename T>
BATCHSCOPE_INLINE void store(T* to, const Vector& v)
{
    std::memcpy(to, &v, sizeof v);
}
BATCHSCOPE_INLINE Floats asFloats(const Ints& bits)
{
    return load<Floats>(&bits);
}
BATCHSCOPE_INLINE Floats splat(float x)
{
    return Floats{} + x;
}

// bf16 is the upper half of a float.
BATCHSCOPE_INLINE float widen(std::uint16_t bits)
{
    const std::uint32_t wide = std::uint32_t{bits} << 16;
    float x;
    std::memcpy(&x, &wide, sizeof x);
    return x;
}
BATCHSCOPE_INLINE float widen(float x)
{
    return x;
}
BATCHSCOPE_INLINE std::uint16_t narrowToBf16(float x) // nearest, ties to even; a NaN stays one
{
    std::uint32_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
    return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}
BATCHSCOPE_INLINE Floats loadWide(const float* from)
{
    return load<Floats>(from);
}
BATCHSCOPE_INLINE Floats loadWide(const std::uint16_t* from)
{
    const auto wide = __builtin_convertvector(load<Halves>(from), Ints) << 16;
    return asFloats(wide);
}

BATCHSCOPE_INLINE float sum(const Floats& v)
{
    using Eight = float __attribute__((vector_size(32)));
    using Four = float __attribute__((vector_size(16)));
    const auto* lanes = reinterpret_cast<const float*>(&v);
    const Eight eight = load<Eight>(lanes) + load<Eight>(lanes + 8);
    const auto* half = reinterpret_cast<const float*>(&eight);
    const Four four = load<Four>(half) + load<Four>(half + 4);
    return (four[0] + four[2]) + (four[1] + four[3]);
}

// Lanes of two vectors' segments of 2 * half lanes, in a row: the segments' first halves; + half: their
// second halves.
struct HalvesOrder
{
    std::int32_t lane[k_lanes];
    constexpr explicit HalvesOrder(int half, int offset) : lane{}
    {
        for (int i = 0; i < k_lanes; ++i)
            lane[i] = i / half * 2 * half + i % half + offset;
    }
};

template <int Half>
BATCHSCOPE_INLINE void addHalves(Floats (&v)[k_lanes])
{
    static constexpr HalvesOrder k_first(Half, 0), k_second(Half, Half);
    const Ints first = load<Ints>(k_first.lane), second = load<Ints>(k_second.lane);
    for (int i = 0; i < Half; ++i)
        v[i] = __builtin_shuffle(v[2 * i], v[2 * i + 1], first) +
               __builtin_shuffle(v[2 * i], v[2 * i + 1], second);
}

// v[0]'s lanes become the sums of the 16 vectors, each added in the order in which sum() adds.
BATCHSCOPE_INLINE void sumEach(Floats (&v)[k_lanes])
{
    addHalves<8>(v);
    addHalves<4>(v);
    addHalves<2>(v);
    addHalves<1>(v);
}

// e^x to about 2 units in the last place for x <= 88; 0 below -87.3 (what underflows), so -inf gives 0.
BATCHSCOPE_INLINE Floats exponential(const Floats& x)
{
    constexpr float k_log2e = 1.44269504088896341f;
    constexpr float k_ln2_high = 0.693359375f, k_ln2_low = -2.12194440e-4f; // their sum is ln 2
    constexpr float k_round = 12582912.0f; // 1.5 * 2^23: adding it rounds to integers
    const Ints tiny = x < -87.3f;
    const Floats low = splat(-87.3f), high = splat(88.0f);
    Floats t = tiny ? low : x;
    t = t > 88.0f ? high : t;
    const Floats n = (t * k_log2e + k_round) - k_round;
    const Floats r = (t - n * k_ln2_high) - n * k_ln2_low;
    Floats p = splat(1.9875691500e-4f); // minimax polynomial of Cephes' expf
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * (r * r) + r + 1.0f;
    const Ints exponent = (__builtin_convertvector(n, Ints) + 127) << 23;
    const Floats value = p * asFloats(exponent);
    return tiny ? Floats{} : value;
}

} // namespace batchscope::engine::simd
