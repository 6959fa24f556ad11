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

// Scores of one query over all columns and their largest. Vectors: how many sets of 16 lanes a head has; 0 =
// any width, element by element.
template <int Vectors, typename Stored>
BATCHSCOPE_INLINE float scoreColumns(const AttendJob& a, const float* query, const Stored* keys)
{
    Floats q[Vectors > 0 ? Vectors : 1] = {};
    for (int v = 0; v < Vectors; ++v)
        q[v] = simd::load<Floats>(query + v * k_lanes);
    float largest = -std::numeric_limits<float>::infinity();
    for (std::int64_t j = 0; j < a.columns; ++j) {
        const Stored* key = keys + j * a.head_dim;
        float dot = 0;
        if constexpr (Vectors > 0) {
            Floats products = q[0] * simd::loadWide(key);
            for (int v = 1; v < Vectors; ++v)
                products += q[v] * simd::loadWide(key + v * k_lanes);
            dot = simd::sum(products);
        } else {
            for (std::int64_t i = 0; i < a.head_dim; ++i)
                dot += query[i] * simd::widen(key[i]);
        }
        a.scores[j] = dot * a.scale;
        largest = std::max(largest, a.scores[j]);
    }
    return largest;
}

// Scores become weights exp(score - largest); returns their sum.
BATCHSCOPE_INLINE float weighColumns(const AttendJob& a, float largest)
{
    const std::int64_t padded = (a.columns + k_lanes - 1) / k_lanes * k_lanes;
    for (std::int64_t j = a.columns; j < padded; ++j)
        a.scores[j] = -std::numeric_limits<float>::infinity();
    Floats sums = {};
    for (std::int64_t j = 0; j < padded; j += k_lanes) {
        const Floats weight = simd::exponential(simd::load<Floats>(a.scores + j) - largest);
        simd::store(a.scores + j, weight);
        sums += weight;
    }
    return simd::sum(sums);
}

template <int Vectors, typename Stored>
BATCHSCOPE_INLINE void mixValues(const AttendJob& a, const Stored* values, float total, float* out)
{
    const float factor = 1.0f / total;
    if constexpr (Vectors > 0) {
        Floats acc[Vectors] = {};
        for (std::int64_t j = 0; j < a.columns; ++j)
            for (int v = 0; v < Vectors; ++v)
                acc[v] += a.scores[j] * simd::loadWide(values + j * a.head_dim + v * k_lanes);
        for (int v = 0; v < Vectors; ++v)
            simd::store(out + v * k_lanes, acc[v] * factor);
    } else {
        std::fill(out, out + a.head_dim, 0.0f);
        for (std::int64_t j = 0; j < a.columns; ++j)
            for (std::int64_t i = 0; i < a.head_dim; ++i)
                out[i] += a.scores[j] * simd::widen(values[j * a.head_dim + i]);
        for (std::int64_t i = 0; i < a.head_dim; ++i)
            out[i] *= factor;
    }
}

template <int Vectors, typename Stored>
BATCHSCOPE_INLINE void attendWidth(const AttendJob& a)
{
    for (std::int64_t head = 0; head < a.heads; ++head) {
        const float largest =
            scoreColumns<Vectors>(a, a.query + head * a.head_dim, static_cast<const Stored*>(a.keys));
        const float total = weighColumns(a, largest);
        mixValues<Vectors>(a, static_cast<const Stored*>(a.values), total, a.out + head * a.head_dim);
    }
}

template <typename Stored>
BATCHSCOPE_INLINE void attendBody(const AttendJob& a)
{
    switch (a.head_dim) {
    case 16:
        return attendWidth<1, Stored>(a);
    case 32:
        return attendWidth<2, Stored>(a);
    case 48:
        return attendWidth<3, Stored>(a);
    case 64:
        return attendWidth<4, Stored>(a);
    case 96:
        return attendWidth<6, Stored>(a);
    case 128:
        return attendWidth<8, Stored>(a);
    default:
        return attendWidth<0, Stored>(a);
    }
}
BATCHSCOPE_INLINE void attendF32Body(const AttendJob& a)
{
    attendBody<float>(a);
}
BATCHSCOPE_INLINE void attendBf16Body(const AttendJob& a)
{
    attendBody<std::uint16_t>(a);
}

namespace variants {
BATCHSCOPE_LOCAL_KERNEL(normRows, NormJob)
BATCHSCOPE_LOCAL_KERNEL(gateRows, GateJob)
BATCHSCOPE_LOCAL_KERNEL(turn, TurnJob)
BATCHSCOPE_LOCAL_KERNEL(storeBf16, StoreJob)
BATCHSCOPE_LOCAL_KERNEL(attendF32, AttendJob)
BATCHSCOPE_LOCAL_KERNEL(attendBf16, AttendJob)
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
    variants::attendF32(job);
}
void attendBf16(const AttendJob& job)
{
    variants::attendBf16(job);
}
void storeBf16(const StoreJob& job)
{
    variants::storeBf16(job);
}

} // namespace batchscope::engine
