// SPDX-License-Identifier: GPL-3.0-or-later
// A window into the torch room for a Qt test, in plain types: no file includes both.
#pragma once

#include "engine/checkpoint/model_config.h"
#include "scheduler/request.h"

#include <cstdint>
#include <filesystem>
#include <vector>

namespace batchscope::tests {

using Logits = std::vector<std::vector<std::vector<float>>>; // [pass][row][vocabulary]

struct ProbeBatch
{
    std::filesystem::path model_dir;
    engine::DType dtype = engine::DType::F32;
    bool aten = false; // libtorch's operations instead of the CPU's own kernels
    int threads = 2;
    std::vector<std::vector<TokenId>> prompts;
    std::vector<TokenId> fed; // after the prompts, the same ids to every row, one a pass
};
Logits passes(const ProbeBatch& batch);

// Largest |x W^T - exact| relative to the sum of magnitudes, where exact is of inputs and weights as the type
// holds them; at each instruction level that this processor has.
struct ProductError
{
    const char* level;
    double f32, bf16;
    bool rows_alike; // each row bit for bit as when computed alone
};
std::vector<ProductError> productErrors(std::int64_t rows, std::int64_t inputs, std::int64_t outputs);

} // namespace batchscope::tests
