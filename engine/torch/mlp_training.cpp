// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/torch/mlp_training.h"

#include <ATen/ops/addmm.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/where.h>
#include <cmath>

namespace batchscope::engine {
namespace {

constexpr double k_smooth = 0.25; // in standard deviations of the target
constexpr double k_beta1 = 0.9, k_beta2 = 0.999, k_epsilon = 1e-8;

} // namespace

TrainedMlp::TrainedMlp(const std::vector<int>& widths, Random& random)
{
    const c10::InferenceMode no_autograd;
    for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
        at::Tensor weight = at::empty({widths[i + 1], widths[i]}, at::kFloat);
        const double sd = std::sqrt(2.0 / widths[i]);
        float* data = weight.data_ptr<float>();
        for (std::int64_t k = 0; k < weight.numel(); ++k)
            data[k] = static_cast<float>(random.normal() * sd);
        const at::Tensor bias = at::zeros({widths[i + 1]}, at::kFloat);
        for (const at::Tensor& value : {weight, bias})
            m_parameters.push_back({value, at::zeros(value.sizes(), at::kFloat),
                                    at::zeros(value.sizes(), at::kFloat), value.dim() == 2});
    }
}

at::Tensor TrainedMlp::outputs(const at::Tensor& x) const
{
    const c10::InferenceMode no_autograd;
    at::Tensor h = x;
    for (std::size_t i = 0; i < m_parameters.size(); i += 2) {
        h = at::addmm(m_parameters[i + 1].value, h, m_parameters[i].value.t());
        if (i + 2 < m_parameters.size()) h = at::relu(h);
    }
    return h.squeeze(1);
}

double TrainedMlp::step(const at::Tensor& x, const at::Tensor& targets, double learning_rate,
                        double weight_decay)
{
    const c10::InferenceMode no_autograd;
    std::vector<at::Tensor> inputs{x}; // of each layer
    for (std::size_t i = 0; i + 2 < m_parameters.size(); i += 2)
        inputs.push_back(
            at::relu(at::addmm(m_parameters[i + 1].value, inputs.back(), m_parameters[i].value.t())));
    const std::size_t last = m_parameters.size() - 2;
    const at::Tensor error =
        at::addmm(m_parameters[last + 1].value, inputs.back(), m_parameters[last].value.t()).squeeze(1) -
        targets;
    const at::Tensor size = error.abs();
    const at::Tensor loss =
        at::where(size < k_smooth, error * error / (2 * k_smooth), size - k_smooth / 2).mean();
    at::Tensor gradient = (error / k_smooth).clamp(-1, 1).unsqueeze(1) / static_cast<double>(x.size(0));
    ++m_steps;
    for (std::size_t layer = inputs.size(); layer-- > 0;) {
        Parameter& weight = m_parameters[2 * layer];
        const at::Tensor weight_gradient = at::mm(gradient.t(), inputs[layer]);
        const at::Tensor bias_gradient = gradient.sum(0);
        if (layer > 0) gradient = at::mm(gradient, weight.value) * (inputs[layer] > 0);
        update(weight, weight_gradient, learning_rate, weight_decay);
        update(m_parameters[2 * layer + 1], bias_gradient, learning_rate, weight_decay);
    }
    return loss.item<double>();
}

void TrainedMlp::update(Parameter& parameter, const at::Tensor& gradient, double learning_rate,
                        double weight_decay) const
{
    const auto steps = static_cast<double>(m_steps);
    parameter.first_moment.mul_(k_beta1).add_(gradient, 1 - k_beta1);
    parameter.second_moment.mul_(k_beta2).addcmul_(gradient, gradient, 1 - k_beta2);
    const at::Tensor spread =
        (parameter.second_moment / (1 - std::pow(k_beta2, steps))).sqrt_().add_(k_epsilon);
    if (parameter.decays) parameter.value.mul_(1 - learning_rate * weight_decay);
    parameter.value.addcdiv_(parameter.first_moment, spread, -learning_rate / (1 - std::pow(k_beta1, steps)));
}

std::vector<at::Tensor> TrainedMlp::weights() const
{
    const c10::InferenceMode no_autograd;
    std::vector<at::Tensor> copies;
    for (const Parameter& parameter : m_parameters)
        copies.push_back(parameter.value.clone());
    return copies;
}

} // namespace batchscope::engine
