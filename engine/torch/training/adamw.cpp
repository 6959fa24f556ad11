// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/torch/training/adamw.h"

#include <cmath>

namespace batchscope::engine::training {

void applyAdamw(const AdamwStep& by, std::int64_t count, float* weights, const float* gradients,
                float* first_moments, float* second_moments)
{
    const auto steps = static_cast<double>(by.step);
    const auto rate = static_cast<float>(by.learning_rate / (1.0 - std::pow(by.beta1, steps)));
    const auto second_scale = static_cast<float>(1.0 / (1.0 - std::pow(by.beta2, steps)));
    const auto keep = static_cast<float>(1.0 - by.learning_rate * by.weight_decay);
    const auto beta1 = static_cast<float>(by.beta1);
    const auto beta2 = static_cast<float>(by.beta2);
    const auto scale = static_cast<float>(by.gradient_scale);
    for (std::int64_t i = 0; i < count; ++i) {
        const float g = gradients[i] * scale;
        first_moments[i] = beta1 * first_moments[i] + (1.0F - beta1) * g;
        second_moments[i] = beta2 * second_moments[i] + (1.0F - beta2) * g * g;
        weights[i] = keep * weights[i] -
                     rate * first_moments[i] / (std::sqrt(second_moments[i] * second_scale) + 1e-8F);
    }
}

} // namespace batchscope::engine::training
