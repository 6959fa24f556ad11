// SPDX-License-Identifier: GPL-3.0-or-later
// Training of a multilayer perceptron with one output: the gradients by hand, AdamW (Loshchilov and Hutter
// 2019). On one thread and without libtorch: products this small lose more by waiting for BLAS' threads than
// they gain.
#pragma once

#include "engine/torch/length_network.h"
#include "scheduler/random.h"

#include <cstdint>
#include <span>
#include <vector>

namespace batchscope::engine {

class TrainedMlp
{
public:
    // widths: inputs, hidden layers, 1. Weights from a normal of sd sqrt(2 / inputs), biases 0.
    TrainedMlp(const std::vector<int>& widths, Random& random);

    // x: [rows, inputs] -> [rows].
    std::vector<float> outputs(std::span<const float> x) const;
    // One step on a batch; returns its loss: absolute error, quadratic where it is small.
    double step(std::span<const float> x, std::span<const float> targets, double learning_rate,
                double weight_decay);
    std::vector<DenseLayer> layers() const;

private:
    struct Parameter
    {
        std::vector<float> value, gradient, first_moment, second_moment;
        explicit Parameter(std::size_t size)
            : value(size), gradient(size), first_moment(size), second_moment(size)
        {}
    };
    struct Layer
    {
        std::int64_t inputs, outputs;
        Parameter weight; // [inputs, outputs]: rows of outputs are what the products run along
        Parameter bias;   // [outputs]
    };
    // Each layer's inputs [rows, inputs] (after the ReLU of the layer before), and the last layer's output.
    std::vector<std::vector<float>> forward(std::span<const float> x) const;
    void update(Parameter& parameter, double learning_rate, double weight_decay) const;

    std::vector<Layer> m_layers;
    std::int64_t m_steps = 0;
};

} // namespace batchscope::engine
