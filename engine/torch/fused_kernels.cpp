// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/torch/fused_kernels.h"

#include "engine/torch/simd.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace batchscope::engine {
namespace {

using simd::Floats;
using simd::k_lanes;

BATCHSCOPE_INLINE void normRowsBody(const NormJob& a)
{
    const std::int64_t whole = a.width / k_lanes * k_lanes;
    for (std::int64_t row = a.first; row < a.last; ++row) {
        const float* x = a.x + row * a.width;
        float* y = a.y + row * a.width;
        Floats squares = {};
        for (std::int64_t i = 0; i < whole; i += k_lanes) {
            const Floats v = simd::load<Floats>(x + i);
            squares += v * v;
        }
        float total = simd::sum(squares);
        for (std::int64_t i = whole; i < a.width; ++i)
            total += x[i] * x[i];
        const float factor = 1.0f / std::sqrt(total / static_cast<float>(a.width) + a.epsilon);
        for (std::int64_t i = 0; i < whole; i += k_lanes)
            simd::store(y + i, simd::load<Floats>(x + i) * factor * simd::load<Floats>(a.weight + i));
        for (std::int64_t i = whole; i < a.width; ++i)
            y[i] = x[i] * factor * a.weight[i];
    }
}

BATCHSCOPE_INLINE Floats gated(const Floats& gate, const Floats& up)
{
    return gate / (simd::exponential(-gate) + 1.0f) * up;
}

BATCHSCOPE_INLINE void gateRowsBody(const GateJob& a)
{
    const std::int64_t whole = a.width / k_lanes * k_lanes;
    for (std::int64_t row = a.first; row < a.last; ++row) {
        const float* gate = a.x + row * 2 * a.width;
        const float* up = gate + a.width;
        float* y = a.y + row * a.width;
        for (std::int64_t i = 0; i < whole; i += k_lanes)
            simd::store(y + i, gated(simd::load<Floats>(gate + i), simd::load<Floats>(up + i)));
        if (whole == a.width) continue;
        float gates[k_lanes] = {}, ups[k_lanes] = {}, out[k_lanes];
        std::copy(gate + whole, gate + a.width, gates);
        std::copy(up + whole, up + a.width, ups);
        simd::store(out, gated(simd::load<Floats>(gates), simd::load<Floats>(ups)));
        std::copy(out, out + (a.width - whole), y + whole);
    }
}

BATCHSCOPE_INLINE void turnBody(const TurnJob& a)
{
    const std::int64_t half = a.head_dim / 2;
    for (std::int64_t i = 0; i < half; ++i) {
        const float low = a.x[i], high = a.x[half + i];
        a.y[i] = low * a.cosine[i] - high * a.sine[i];
        a.y[half + i] = high * a.cosine[i] + low * a.sine[i];
    }
}

BATCHSCOPE_INLINE void storeBf16Body(const StoreJob& a)
{
    for (std::int64_t i = 0; i < a.count; ++i)
        a.y[i] = simd::narrowToBf16(a.x[i]);
}

// How a kernel adds up the products of 16 keys: all at once, where the processor shuffles whole vectors, or
// key by key. The order of additions, and so the result, is the same.
enum class Sums { Together, Singly };

template <int Vectors, typename Stored>
BATCHSCOPE_INLINE Floats products(const Floats (&query)[Vectors], const Stored* key)
{
    Floats sum = query[0] * simd::loadWide(key);
    for (int v = 1; v < Vectors; ++v)
        sum += query[v] * simd::loadWide(key + v * k_lanes);
    return sum;
}

template <Sums How, int Vectors, typename Stored>
BATCHSCOPE_INLINE void dotColumns(const AttendJob& a, const float* query, const Stored* keys)
{
    Floats q[Vectors];
    for (int v = 0; v < Vectors; ++v)
        q[v] = simd::load<Floats>(query + v * k_lanes);
    std::int64_t j = 0;
    if constexpr (How == Sums::Together) {
        for (; j + k_lanes <= a.columns; j += k_lanes) {
            Floats sums[k_lanes];
            for (int lane = 0; lane < k_lanes; ++lane)
                sums[lane] = products<Vectors>(q, keys + (j + lane) * a.head_dim);
            simd::sumEach(sums);
            simd::store(a.scores + j, sums[0]);
        }
    }
    for (; j < a.columns; ++j)
        a.scores[j] = simd::sum(products<Vectors>(q, keys + j * a.head_dim));
}

// Scores of one query over all columns, not scaled. Vectors: how many sets of 16 lanes a head has; 0 = any
// width, element by element.
template <Sums How, int Vectors, typename Stored>
BATCHSCOPE_INLINE void scoreColumns(const AttendJob& a, const float* query, const Stored* keys)
{
    if constexpr (Vectors > 0) return dotColumns<How, Vectors>(a, query, keys);
    for (std::int64_t j = 0; j < a.columns; ++j) {
        float dot = 0;
        for (std::int64_t i = 0; i < a.head_dim; ++i)
            dot += query[i] * simd::widen(keys[j * a.head_dim + i]);
        a.scores[j] = dot;
    }
}

// Scores become weights exp((score - largest) * scale); returns their sum.
BATCHSCOPE_INLINE float weighColumns(const AttendJob& a)
{
    const std::int64_t padded = (a.columns + k_lanes - 1) / k_lanes * k_lanes;
    for (std::int64_t j = a.columns; j < padded; ++j)
        a.scores[j] = -std::numeric_limits<float>::infinity();
    Floats tops = simd::load<Floats>(a.scores);
    for (std::int64_t j = k_lanes; j < padded; j += k_lanes) {
        const Floats next = simd::load<Floats>(a.scores + j);
        tops = next > tops ? next : tops;
    }
    float largest = tops[0];
    for (int lane = 1; lane < k_lanes; ++lane)
        largest = std::max(largest, tops[lane]);
    Floats sums = {};
    for (std::int64_t j = 0; j < padded; j += k_lanes) {
        const Floats weight = simd::exponential((simd::load<Floats>(a.scores + j) - largest) * a.scale);
        simd::store(a.scores + j, weight);
        sums += weight;
    }
    return simd::sum(sums);
}

// Four chains of additions, so that one does not wait for the other: column j belongs to chain j % 4.
template <int Vectors, typename Stored>
BATCHSCOPE_INLINE void mixVectors(const AttendJob& a, const Stored* values, float factor, float* out)
{
    constexpr int k_chains = Vectors > 2 ? 2 : 4;
    Floats acc[k_chains][Vectors] = {};
    const std::int64_t whole = a.columns / k_chains * k_chains;
    for (std::int64_t j = 0; j < whole; j += k_chains)
        for (int chain = 0; chain < k_chains; ++chain)
            for (int v = 0; v < Vectors; ++v)
                acc[chain][v] +=
                    a.scores[j + chain] * simd::loadWide(values + (j + chain) * a.head_dim + v * k_lanes);
    for (std::int64_t j = whole; j < a.columns; ++j) // to the first chain, so that no index is variable
        for (int v = 0; v < Vectors; ++v)
            acc[0][v] += a.scores[j] * simd::loadWide(values + j * a.head_dim + v * k_lanes);
    for (int v = 0; v < Vectors; ++v) {
        for (int chain = 1; chain < k_chains; ++chain)
            acc[0][v] += acc[chain][v];
        simd::store(out + v * k_lanes, acc[0][v] * factor);
    }
}

template <int Vectors, typename Stored>
BATCHSCOPE_INLINE void mixValues(const AttendJob& a, const Stored* values, float total, float* out)
{
    const float factor = 1.0f / total;
    if constexpr (Vectors > 0) return mixVectors<Vectors>(a, values, factor, out);
    std::fill(out, out + a.head_dim, 0.0f);
    for (std::int64_t j = 0; j < a.columns; ++j)
        for (std::int64_t i = 0; i < a.head_dim; ++i)
            out[i] += a.scores[j] * simd::widen(values[j * a.head_dim + i]);
    for (std::int64_t i = 0; i < a.head_dim; ++i)
        out[i] *= factor;
}

template <Sums How, int Vectors, typename Stored>
BATCHSCOPE_INLINE void attendWidth(const AttendJob& a)
{
    for (std::int64_t head = 0; head < a.heads; ++head) {
        scoreColumns<How, Vectors>(a, a.query + head * a.head_dim, static_cast<const Stored*>(a.keys));
        const float total = weighColumns(a);
        mixValues<Vectors>(a, static_cast<const Stored*>(a.values), total, a.out + head * a.head_dim);
    }
}

template <Sums How, typename Stored>
BATCHSCOPE_INLINE void attendBody(const AttendJob& a)
{
    switch (a.head_dim) {
    case 16:
        return attendWidth<How, 1, Stored>(a);
    case 32:
        return attendWidth<How, 2, Stored>(a);
    case 48:
        return attendWidth<How, 3, Stored>(a);
    case 64:
        return attendWidth<How, 4, Stored>(a);
    case 96:
        return attendWidth<How, 6, Stored>(a);
    case 128:
        return attendWidth<How, 8, Stored>(a);
    default:
        return attendWidth<How, 0, Stored>(a);
    }
}

template <typename Stored>
void attendBaseline(const AttendJob& a)
{
    attendBody<Sums::Singly, Stored>(a);
}
template <typename Stored>
BATCHSCOPE_AVX2 void attendAvx2(const AttendJob& a)
{
    attendBody<Sums::Singly, Stored>(a);
}
template <typename Stored>
BATCHSCOPE_AVX512 void attendAvx512(const AttendJob& a)
{
    attendBody<Sums::Together, Stored>(a);
}
template <typename Stored>
void attend(const AttendJob& a)
{
    const auto level = simd::level();
    if (level >= simd::Level::Avx512) return attendAvx512<Stored>(a);
    if (level == simd::Level::Avx2) return attendAvx2<Stored>(a);
    attendBaseline<Stored>(a);
}

namespace variants {
BATCHSCOPE_LOCAL_KERNEL(normRows, NormJob)
BATCHSCOPE_LOCAL_KERNEL(gateRows, GateJob)
BATCHSCOPE_LOCAL_KERNEL(turn, TurnJob)
BATCHSCOPE_LOCAL_KERNEL(storeBf16, StoreJob)
} // namespace variants

} // namespace

void normRows(const NormJob& job)
{
    variants::normRows(job);
}
void gateRows(const GateJob& job)
{
    variants::gateRows(job);
}
void turn(const TurnJob& job)
{
    variants::turn(job);
}
void attendF32(const AttendJob& job)
{
    attend<float>(job);
}
void attendBf16(const AttendJob& job)
{
    attend<std::uint16_t>(job);
}
void storeBf16(const StoreJob& job)
{
    variants::storeBf16(job);
}

} // namespace batchscope::engine
