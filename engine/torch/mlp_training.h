// SPDX-License-Identifier: GPL-3.0-or-later
// Training of a multilayer perceptron with one output: the gradients by hand, AdamW (Loshchilov and Hutter
// 2019).
#pragma once

#include "engine/torch/compat.h"
#include "scheduler/random.h"

#include <cstdint>
#include <vector>

namespace batchscope::engine {

class TrainedMlp
{
public:
    // Weights from a normal of sd sqrt(2 / inputs), biases 0.
    TrainedMlp(const std::vector<int>& widths, Random& random);

    at::Tensor outputs(const at::Tensor& x) const; // [n, inputs] -> [n]
    // One step on a batch; returns its loss: smoothed absolute error, quadratic below k_smooth.
    double step(const at::Tensor& x, const at::Tensor& targets, double learning_rate, double weight_decay);

    std::vector<at::Tensor>
    weights() const; // copies: weight [outputs, inputs] and bias [outputs] of each layer in turn

private:
    struct Parameter
    {
        at::Tensor value, first_moment, second_moment;
        bool decays;
    };
    void update(Parameter& parameter, const at::Tensor& gradient, double learning_rate,
                double weight_decay) const;

    std::vector<Parameter> m_parameters; // weight, bias, weight, bias, ...
    std::int64_t m_steps = 0;
};

} // namespace batchscope::engine
