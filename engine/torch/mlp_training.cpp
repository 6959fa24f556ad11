// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/torch/mlp_training.h"

#include "engine/torch/simd.h"

#include <algorithm>
#include <cmath>

namespace batchscope::engine {
namespace {

constexpr float k_smooth = 0.25f; // in standard deviations of the target
constexpr double k_beta1 = 0.9, k_beta2 = 0.999, k_epsilon = 1e-8;

// c += a b; a: [rows, inner] with any strides, b: [inner, columns], c: [rows, columns].
struct MultiplyJob
{
    const float* a;
    std::int64_t a_row, a_column;
    const float* b;
    float* c;
    std::int64_t rows, inner, columns;
};
BATCHSCOPE_INLINE void multiplyBody(const MultiplyJob& a)
{
    for (std::int64_t m = 0; m < a.rows; ++m) {
        float* __restrict c = a.c + m * a.columns;
        for (std::int64_t k = 0; k < a.inner; ++k) {
            const float factor = a.a[m * a.a_row + k * a.a_column];
            const float* __restrict b = a.b + k * a.columns;
            for (std::int64_t n = 0; n < a.columns; ++n)
                c[n] += factor * b[n];
        }
    }
}
BATCHSCOPE_LOCAL_KERNEL(multiply, MultiplyJob)

std::vector<float> transposed(const std::vector<float>& x, std::int64_t rows, std::int64_t columns)
{
    std::vector<float> turned(x.size());
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t c = 0; c < columns; ++c)
            turned[static_cast<std::size_t>(c * rows + r)] = x[static_cast<std::size_t>(r * columns + c)];
    return turned;
}

} // namespace

TrainedMlp::TrainedMlp(const std::vector<int>& widths, Random& random)
{
    for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
        const auto inputs = static_cast<std::size_t>(widths[i]),
                   outputs = static_cast<std::size_t>(widths[i + 1]);
        Layer layer{widths[i], widths[i + 1], Parameter(inputs * outputs), Parameter(outputs)};
        const double sd = std::sqrt(2.0 / widths[i]);
        for (float& weight : layer.weight.value)
            weight = static_cast<float>(random.normal() * sd);
        m_layers.push_back(std::move(layer));
    }
}

std::vector<std::vector<float>> TrainedMlp::forward(std::span<const float> x) const
{
    std::vector<std::vector<float>> values{{x.begin(), x.end()}};
    const auto rows = static_cast<std::int64_t>(x.size()) / m_layers.front().inputs;
    for (const Layer& layer : m_layers) {
        std::vector<float> y;
        y.reserve(static_cast<std::size_t>(rows * layer.outputs));
        for (std::int64_t row = 0; row < rows; ++row)
            y.insert(y.end(), layer.bias.value.begin(), layer.bias.value.end());
        multiply({values.back().data(), layer.inputs, 1, layer.weight.value.data(), y.data(), rows,
                  layer.inputs, layer.outputs});
        if (&layer != &m_layers.back())
            for (float& value : y)
                value = std::max(value, 0.0f);
        values.push_back(std::move(y));
    }
    return values;
}

std::vector<float> TrainedMlp::outputs(std::span<const float> x) const
{
    return std::move(forward(x).back());
}

double TrainedMlp::step(std::span<const float> x, std::span<const float> targets, double learning_rate,
                        double weight_decay)
{
    const std::vector<std::vector<float>> values = forward(x);
    const auto rows = static_cast<std::int64_t>(targets.size());
    double loss = 0;
    std::vector<float> slope(targets.size()); // of the loss by the output, then by each layer's input
    for (std::size_t i = 0; i < targets.size(); ++i) {
        const float error = values.back()[i] - targets[i], size = std::abs(error);
        loss += size < k_smooth ? error * error / (2 * k_smooth) : size - k_smooth / 2;
        slope[i] = std::clamp(error / k_smooth, -1.0f, 1.0f) / static_cast<float>(rows);
    }
    ++m_steps;
    for (std::size_t i = m_layers.size(); i-- > 0;) {
        Layer& layer = m_layers[i];
        const std::vector<float>& input = values[i];
        std::fill(layer.weight.gradient.begin(), layer.weight.gradient.end(), 0.0f);
        std::fill(layer.bias.gradient.begin(), layer.bias.gradient.end(), 0.0f);
        multiply({input.data(), 1, layer.inputs, slope.data(), layer.weight.gradient.data(), layer.inputs,
                  rows, layer.outputs});
        for (std::size_t k = 0; k < slope.size(); ++k)
            layer.bias.gradient[k % static_cast<std::size_t>(layer.outputs)] += slope[k];
        if (i > 0) {
            const std::vector<float> turned = transposed(layer.weight.value, layer.inputs, layer.outputs);
            std::vector<float> before(input.size());
            multiply({slope.data(), layer.outputs, 1, turned.data(), before.data(), rows, layer.outputs,
                      layer.inputs});
            for (std::size_t k = 0; k < before.size(); ++k)
                if (!(input[k] > 0)) before[k] = 0; // the ReLU was shut
            slope = std::move(before);
        }
        update(layer.weight, learning_rate, weight_decay);
        update(layer.bias, learning_rate, 0);
    }
    return loss / static_cast<double>(rows);
}

void TrainedMlp::update(Parameter& parameter, double learning_rate, double weight_decay) const
{
    const auto steps = static_cast<double>(m_steps);
    const auto kept1 = static_cast<float>(k_beta1), kept2 = static_cast<float>(k_beta2);
    const auto rate = static_cast<float>(learning_rate / (1 - std::pow(k_beta1, steps)));
    const auto unbias2 = static_cast<float>(1 / (1 - std::pow(k_beta2, steps)));
    const auto shrink = static_cast<float>(1 - learning_rate * weight_decay);
    for (std::size_t i = 0; i < parameter.value.size(); ++i) {
        const float gradient = parameter.gradient[i];
        float& first = parameter.first_moment[i];
        float& second = parameter.second_moment[i];
        first = kept1 * first + (1 - kept1) * gradient;
        second = kept2 * second + (1 - kept2) * gradient * gradient;
        parameter.value[i] = shrink * parameter.value[i] -
                             rate * first / (std::sqrt(second * unbias2) + static_cast<float>(k_epsilon));
    }
}

std::vector<DenseLayer> TrainedMlp::layers() const
{
    std::vector<DenseLayer> layers;
    for (const Layer& layer : m_layers)
        layers.push_back({transposed(layer.weight.value, layer.inputs, layer.outputs), layer.bias.value});
    return layers;
}

} // namespace batchscope::engine
