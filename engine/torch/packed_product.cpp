// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/torch/packed_product.h"

#include "engine/torch/simd.h"

#include <algorithm>
#include <vector>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace batchscope::engine {
namespace {

using simd::Floats;
using simd::Ints;
constexpr std::int64_t k_panel = 32;           // outputs of a panel: two vectors
constexpr std::int64_t k_grain_flop = 1 << 16; // below this a second thread costs more than it brings

struct PanelJob
{
    const void* x;         // f32 [rows, stride], or bf16 pairs [rows, stride]
    std::int64_t x_stride; // in elements of x's kind (floats or pairs)
    const void* panels;
    std::int64_t depth; // inputs, or pairs of inputs
    float* y;
    std::int64_t outputs;
    std::int64_t rows;
    bool add;
};

BATCHSCOPE_INLINE void writeTile(const Floats& low, const Floats& high, float* y, std::int64_t room, bool add)
{
    if (room >= k_panel) {
        simd::store(y, add ? simd::load<Floats>(y) + low : low);
        simd::store(y + 16, add ? simd::load<Floats>(y + 16) + high : high);
        return;
    }
    float both[k_panel];
    simd::store(both, low);
    simd::store(both + 16, high);
    for (std::int64_t i = 0; i < room; ++i)
        y[i] = add ? y[i] + both[i] : both[i];
}

// Rows x Panels of output panels at once. For one row several panels hide the latency of the additions.
template <int Rows, int Panels>
BATCHSCOPE_INLINE void tileF32(const PanelJob& a, std::int64_t row, std::int64_t panel)
{
    const float* x = static_cast<const float*>(a.x) + row * a.x_stride;
    const std::int64_t panel_floats = a.depth * k_panel;
    const float* w = static_cast<const float*>(a.panels) + panel * panel_floats;
    Floats acc[Rows][Panels][2] = {};
    for (std::int64_t k = 0; k < a.depth; ++k) {
        for (int p = 0; p < Panels; ++p) {
            const Floats w0 = simd::load<Floats>(w + p * panel_floats + k * k_panel);
            const Floats w1 = simd::load<Floats>(w + p * panel_floats + k * k_panel + 16);
            for (int m = 0; m < Rows; ++m) {
                const float b = x[m * a.x_stride + k];
                acc[m][p][0] += b * w0;
                acc[m][p][1] += b * w1;
            }
        }
    }
    for (int m = 0; m < Rows; ++m)
        for (int p = 0; p < Panels; ++p) {
            const std::int64_t column = (panel + p) * k_panel;
            writeTile(acc[m][p][0], acc[m][p][1], a.y + (row + m) * a.outputs + column, a.outputs - column,
                      a.add);
        }
}

// The same with two bf16 inputs a step, widened: the sum of the even and the odd chain.
template <int Rows, int Panels>
BATCHSCOPE_INLINE void tileWide(const PanelJob& a, std::int64_t row, std::int64_t panel)
{
    const auto* x = static_cast<const std::uint32_t*>(a.x) + row * a.x_stride;
    const std::int64_t panel_pairs = a.depth * k_panel;
    const auto* w = static_cast<const std::int32_t*>(a.panels) + panel * panel_pairs;
    Floats acc[Rows][Panels][2] = {};
    for (std::int64_t k = 0; k < a.depth; ++k) {
        for (int p = 0; p < Panels; ++p) {
            for (int half = 0; half < 2; ++half) {
                const Ints pair = simd::load<Ints>(w + p * panel_pairs + k * k_panel + 16 * half);
                const Ints even_bits = pair << 16, odd_bits = pair & static_cast<std::int32_t>(0xffff0000u);
                const Floats even = simd::asFloats(even_bits);
                const Floats odd = simd::asFloats(odd_bits);
                for (int m = 0; m < Rows; ++m) {
                    const std::uint32_t b = x[m * a.x_stride + k];
                    acc[m][p][half] += simd::widen(static_cast<std::uint16_t>(b)) * even;
                    acc[m][p][half] += simd::widen(static_cast<std::uint16_t>(b >> 16)) * odd;
                }
            }
        }
    }
    for (int m = 0; m < Rows; ++m)
        for (int p = 0; p < Panels; ++p) {
            const std::int64_t column = (panel + p) * k_panel;
            writeTile(acc[m][p][0], acc[m][p][1], a.y + (row + m) * a.outputs + column, a.outputs - column,
                      a.add);
        }
}

#if defined(__x86_64__)
#define BATCHSCOPE_AVX512_BF16                                                                               \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512bf16,avx2,fma")))

template <int Rows, int Panels>
BATCHSCOPE_AVX512_BF16 void tileBf16(const PanelJob& a, std::int64_t row, std::int64_t panel)
{
    const auto* x = static_cast<const std::int32_t*>(a.x) + row * a.x_stride;
    const std::int64_t panel_pairs = a.depth * k_panel;
    const auto* w = static_cast<const std::int32_t*>(a.panels) + panel * panel_pairs;
    __m512 acc[Rows][Panels][2];
    for (auto& row_acc : acc)
        for (auto& panel_acc : row_acc)
            panel_acc[0] = panel_acc[1] = _mm512_setzero_ps();
    for (std::int64_t k = 0; k < a.depth; ++k) {
        for (int p = 0; p < Panels; ++p) {
            const auto w0 = (__m512bh)_mm512_loadu_si512(w + p * panel_pairs + k * k_panel);
            const auto w1 = (__m512bh)_mm512_loadu_si512(w + p * panel_pairs + k * k_panel + 16);
            for (int m = 0; m < Rows; ++m) {
                const auto b = (__m512bh)_mm512_set1_epi32(x[m * a.x_stride + k]);
                acc[m][p][0] = _mm512_dpbf16_ps(acc[m][p][0], b, w0);
                acc[m][p][1] = _mm512_dpbf16_ps(acc[m][p][1], b, w1);
            }
        }
    }
    for (int m = 0; m < Rows; ++m)
        for (int p = 0; p < Panels; ++p) {
            const std::int64_t column = (panel + p) * k_panel;
            writeTile((Floats)acc[m][p][0], (Floats)acc[m][p][1], a.y + (row + m) * a.outputs + column,
                      a.outputs - column, a.add);
        }
}
#endif

// A kind of tile for one instruction set: its functions for 8, 4, 2 and 1 rows with 1, 2 or 4 panels.
using Tile = void (*)(const PanelJob&, std::int64_t row, std::int64_t panel);
struct Tiles
{
    Tile eight, four, two_by_two, two, one_by_four, one;
};

#define BATCHSCOPE_TILES(name, body, attributes)                                                             \
    template <int Rows, int Panels>                                                                          \
    attributes void name##Tile(const PanelJob& a, std::int64_t row, std::int64_t panel)                      \
    {                                                                                                        \
        body<Rows, Panels>(a, row, panel);                                                                   \
    }                                                                                                        \
    constexpr Tiles name{name##Tile<8, 1>, name##Tile<4, 1>, name##Tile<2, 2>,                               \
                         name##Tile<2, 1>, name##Tile<1, 4>, name##Tile<1, 1>};

BATCHSCOPE_TILES(k_f32_baseline, tileF32, )
BATCHSCOPE_TILES(k_f32_avx2, tileF32, BATCHSCOPE_AVX2)
BATCHSCOPE_TILES(k_f32_avx512, tileF32, BATCHSCOPE_AVX512)
BATCHSCOPE_TILES(k_wide_baseline, tileWide, )
BATCHSCOPE_TILES(k_wide_avx2, tileWide, BATCHSCOPE_AVX2)
BATCHSCOPE_TILES(k_wide_avx512, tileWide, BATCHSCOPE_AVX512)
#if defined(__x86_64__)
BATCHSCOPE_TILES(k_bf16, tileBf16, BATCHSCOPE_AVX512_BF16)
#endif

const Tiles& tilesFor(PackedType type)
{
    const bool f32 = type == PackedType::F32;
    switch (simd::level()) {
#if defined(__x86_64__)
    case simd::Level::Avx512Bf16:
        return f32 ? k_f32_avx512 : k_bf16;
#else
    case simd::Level::Avx512Bf16:
#endif
    case simd::Level::Avx512:
        return f32 ? k_f32_avx512 : k_wide_avx512;
    case simd::Level::Avx2:
        return f32 ? k_f32_avx2 : k_wide_avx2;
    case simd::Level::Baseline:
        break;
    }
    return f32 ? k_f32_baseline : k_wide_baseline;
}

// Four panels at a time go over all rows, so that they are read from memory once and then from the caches.
void walk(const PanelJob& job, const Tiles& tiles, std::int64_t first_panel, std::int64_t last_panel)
{
    for (std::int64_t group = first_panel; group < last_panel; group += 4) {
        const std::int64_t end = std::min(group + 4, last_panel);
        std::int64_t row = 0;
        for (; row + 8 <= job.rows; row += 8)
            for (std::int64_t p = group; p < end; ++p)
                tiles.eight(job, row, p);
        for (; row + 4 <= job.rows; row += 4)
            for (std::int64_t p = group; p < end; ++p)
                tiles.four(job, row, p);
        for (; row + 2 <= job.rows; row += 2) {
            std::int64_t p = group;
            for (; p + 2 <= end; p += 2)
                tiles.two_by_two(job, row, p);
            for (; p < end; ++p)
                tiles.two(job, row, p);
        }
        if (row == job.rows) continue;
        std::int64_t p = group;
        if (p + 4 == end) tiles.one_by_four(job, row, p), p = end;
        for (; p < end; ++p)
            tiles.one(job, row, p);
    }
}

std::int64_t panelCount(std::int64_t outputs)
{
    return (outputs + k_panel - 1) / k_panel;
}

const float* packF32(const float* weight, std::int64_t outputs, std::int64_t inputs, WeightMemory& memory,
                     Workers& workers)
{
    const std::int64_t panels = panelCount(outputs);
    auto* packed = static_cast<float*>(
        memory.allocate(static_cast<std::size_t>(panels * inputs * k_panel) * sizeof(float)));
    workers.share(panels, 1, [&](std::int64_t begin, std::int64_t end) {
        float* to = packed + begin * inputs * k_panel;
        for (std::int64_t p = begin; p < end; ++p)
            for (std::int64_t k = 0; k < inputs; ++k)
                for (std::int64_t n = p * k_panel; n < (p + 1) * k_panel; ++n)
                    *to++ = n < outputs ? weight[n * inputs + k] : 0.0f;
    });
    return packed;
}

const std::uint16_t* packBf16(const float* weight, std::int64_t outputs, std::int64_t inputs,
                              WeightMemory& memory, Workers& workers)
{
    const std::int64_t panels = panelCount(outputs);
    const std::int64_t pairs = (inputs + 1) / 2;
    auto* packed = static_cast<std::uint16_t*>(
        memory.allocate(static_cast<std::size_t>(panels * pairs * k_panel) * sizeof(std::uint32_t)));
    workers.share(panels, 1, [&](std::int64_t begin, std::int64_t end) {
        std::uint16_t* to = packed + begin * pairs * k_panel * 2;
        for (std::int64_t p = begin; p < end; ++p)
            for (std::int64_t k = 0; k < pairs; ++k)
                for (std::int64_t n = p * k_panel; n < (p + 1) * k_panel; ++n)
                    for (std::int64_t i = 2 * k; i < 2 * k + 2; ++i)
                        *to++ = n < outputs && i < inputs ? simd::narrowToBf16(weight[n * inputs + i]) : 0;
    });
    return packed;
}

struct NarrowJob
{
    const float* x;
    std::uint16_t* to; // [rows, 2 * pairs]
    std::int64_t rows, inputs, pairs;
};
BATCHSCOPE_INLINE void narrowRowsBody(const NarrowJob& a)
{
    for (std::int64_t row = 0; row < a.rows; ++row) {
        const float* x = a.x + row * a.inputs;
        std::uint16_t* to = a.to + row * 2 * a.pairs;
        for (std::int64_t i = 0; i < a.inputs; ++i)
            to[i] = simd::narrowToBf16(x[i]);
        if (a.inputs < 2 * a.pairs) to[a.inputs] = 0;
    }
}
BATCHSCOPE_LOCAL_KERNEL(narrowRows, NarrowJob)

} // namespace

PackedProduct::PackedProduct(const float* weight, std::int64_t outputs, std::int64_t inputs, PackedType type,
                             WeightMemory& memory, Workers& workers)
    : m_outputs(outputs), m_inputs(inputs), m_type(type)
{
    if (type == PackedType::F32)
        m_panels = packF32(weight, outputs, inputs, memory, workers);
    else
        m_panels = packBf16(weight, outputs, inputs, memory, workers);
}

void PackedProduct::apply(const float* x, std::int64_t rows, float* y, bool add, Workers& workers) const
{
    PanelJob job{x, m_inputs, m_panels, m_inputs, y, m_outputs, rows, add};
    if (m_type == PackedType::BF16) {
        const std::int64_t pairs = (m_inputs + 1) / 2;
        thread_local std::vector<std::uint16_t> narrow;
        narrow.resize(static_cast<std::size_t>(rows * pairs * 2));
        narrowRows({x, narrow.data(), rows, m_inputs, pairs});
        job.x = narrow.data();
        job.x_stride = job.depth = pairs;
    }
    const Tiles& tiles = tilesFor(m_type);
    const std::int64_t panel_flop = 2 * rows * m_inputs * k_panel;
    const std::int64_t grain =
        std::max<std::int64_t>(4, k_grain_flop / std::max<std::int64_t>(panel_flop, 1));
    workers.share(panelCount(m_outputs), grain,
                  [&](std::int64_t begin, std::int64_t end) { walk(job, tiles, begin, end); });
}

} // namespace batchscope::engine
