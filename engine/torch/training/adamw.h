// SPDX-License-Identifier: GPL-3.0-or-later
// AdamW (Loshchilov and Hutter, 2019: decoupled weight decay) on a part of flat f32 buffers of equal layout.
#pragma once

#include <cstdint>

namespace batchscope::engine::training {

struct AdamwStep
{
    double learning_rate = 0;
    double beta1 = 0.9;
    double beta2 = 0.95;
    double weight_decay = 0;
    double gradient_scale = 1; // clipping
    std::int64_t step = 1;     // from 1: bias correction
};

void applyAdamw(const AdamwStep& by, std::int64_t count, float* weights, const float* gradients,
                float* first_moments, float* second_moments);

} // namespace batchscope::engine::training
