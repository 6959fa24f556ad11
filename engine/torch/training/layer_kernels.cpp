// SPDX-License-Identifier: GPL-3.0-or-later
// Norm and gated activation.
#include "engine/torch/training/kernels.h"
#include "engine/torch/training/vector_code.h"

#include <cmath>

namespace batchscope::engine::training::kernels {
namespace {

template <typename T>
BATCHSCOPE_INLINE void norm(const RmsNormShape& shape, const float* x, const float* weight, T* y,
                            float* inverse)
{
    const std::int64_t width = shape.width;
    for (std::int64_t row = 0; row < shape.rows; ++row, x += width, y += width) {
        const float square = laneSum(width, [x](std::int64_t i) { return x[i] * x[i]; });
        const float by = 1.0F / std::sqrt(square / static_cast<float>(width) + shape.epsilon);
        inverse[row] = by;
        for (std::int64_t i = 0; i < width; ++i) {
            y[i] = T(x[i] * by * weight[i]);
        }
    }
}

template <typename T>
BATCHSCOPE_INLINE void normBackward(const RmsNormShape& shape, const T* g_y, const float* x,
                                    const float* weight, const float* inverse, float* g_x, float* g_weight)
{
    const std::int64_t width = shape.width;
    std::fill(g_weight, g_weight + width, 0.0F);
    for (std::int64_t row = 0; row < shape.rows; ++row, x += width, g_y += width, g_x += width) {
        const float by = inverse[row];
        const float dot =
            laneSum(width, [=](std::int64_t i) { return static_cast<float>(g_y[i]) * weight[i] * x[i]; });
        const float mean = dot * by * by / static_cast<float>(width);
        for (std::int64_t i = 0; i < width; ++i) {
            const auto g = static_cast<float>(g_y[i]);
            g_weight[i] += g * x[i] * by;
            g_x[i] = (g * weight[i] - x[i] * mean) * by;
        }
    }
}

template <typename T>
BATCHSCOPE_INLINE void gated(std::int64_t rows, std::int64_t hidden, const T* gate_up, T* out)
{
    for (std::int64_t row = 0; row < rows; ++row, gate_up += 2 * hidden, out += hidden) {
        for (std::int64_t i = 0; i < hidden; ++i) {
            const auto gate = static_cast<float>(gate_up[i]);
            out[i] = T(gate / (1.0F + exponential(-gate)) * static_cast<float>(gate_up[hidden + i]));
        }
    }
}

template <typename T>
BATCHSCOPE_INLINE void gatedBackward(std::int64_t rows, std::int64_t hidden, const T* gate_up, const T* g_out,
                                     T* g_gate_up)
{
    for (std::int64_t row = 0; row < rows;
         ++row, gate_up += 2 * hidden, g_out += hidden, g_gate_up += 2 * hidden) {
        for (std::int64_t i = 0; i < hidden; ++i) {
            const auto gate = static_cast<float>(gate_up[i]);
            const auto up = static_cast<float>(gate_up[hidden + i]);
            const auto g = static_cast<float>(g_out[i]);
            const float share = 1.0F / (1.0F + exponential(-gate));
            g_gate_up[i] = T(g * up * share * (1.0F + gate * (1.0F - share)));
            g_gate_up[hidden + i] = T(g * gate * share);
        }
    }
}

} // namespace

BATCHSCOPE_VECTOR_CODE
void rmsNorm(const RmsNormShape& shape, const float* x, const float* weight, float* y, float* inverse)
{
    norm(shape, x, weight, y, inverse);
}

BATCHSCOPE_VECTOR_CODE
void rmsNorm(const RmsNormShape& shape, const float* x, const float* weight, Bf16* y, float* inverse)
{
    norm(shape, x, weight, y, inverse);
}

BATCHSCOPE_VECTOR_CODE
void rmsNormBackward(const RmsNormShape& shape, const float* g_y, const float* x, const float* weight,
                     const float* inverse, float* g_x, float* g_weight)
{
    normBackward(shape, g_y, x, weight, inverse, g_x, g_weight);
}

BATCHSCOPE_VECTOR_CODE
void rmsNormBackward(const RmsNormShape& shape, const Bf16* g_y, const float* x, const float* weight,
                     const float* inverse, float* g_x, float* g_weight)
{
    normBackward(shape, g_y, x, weight, inverse, g_x, g_weight);
}

BATCHSCOPE_VECTOR_CODE
void swiGlu(std::int64_t rows, std::int64_t hidden, const float* gate_up, float* out)
{
    gated(rows, hidden, gate_up, out);
}

BATCHSCOPE_VECTOR_CODE
void swiGlu(std::int64_t rows, std::int64_t hidden, const Bf16* gate_up, Bf16* out)
{
    gated(rows, hidden, gate_up, out);
}

BATCHSCOPE_VECTOR_CODE
void swiGluBackward(std::int64_t rows, std::int64_t hidden, const float* gate_up, const float* g_out,
                    float* g_gate_up)
{
    gatedBackward(rows, hidden, gate_up, g_out, g_gate_up);
}

BATCHSCOPE_VECTOR_CODE
void swiGluBackward(std::int64_t rows, std::int64_t hidden, const Bf16* gate_up, const Bf16* g_out,
                    Bf16* g_gate_up)
{
    gatedBackward(rows, hidden, gate_up, g_out, g_gate_up);
}

} // namespace batchscope::engine::training::kernels
