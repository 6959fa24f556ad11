// SPDX-License-Identifier: GPL-3.0-or-later
// A training run's state on disk, from which it continues exactly. One binary file of this machine's byte
// order, written complete or not at all. Throws EngineError(InvalidFile) naming file, what is wrong and the
// remedy.
#pragma once

#include "engine/demo/training_plan.h"

#include <filesystem>
#include <vector>

namespace batchscope::engine::training {

struct TrainingState
{
    std::int64_t step = 0;
    std::int64_t tokens = 0;
    std::uint64_t next_example = 0;
    double seconds = 0; // trained so far
};

struct FlatBuffer
{
    float* data = nullptr;
    std::int64_t count = 0;
};

void writeCheckpoint(const std::filesystem::path& file, const TrainingPlan& plan, const TrainingState& state,
                     const std::vector<FlatBuffer>& buffers);

// False where the file does not exist. Refuses a file of another recipe.
bool readCheckpoint(const std::filesystem::path& file, const TrainingPlan& plan, TrainingState& state,
                    const std::vector<FlatBuffer>& buffers);

} // namespace batchscope::engine::training
