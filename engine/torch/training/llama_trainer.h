// SPDX-License-Identifier: GPL-3.0-or-later
// Trains a small LLaMA as a plan says and writes its Hugging Face folder. Data-parallel workers of one thread
// each; the result depends on plan and source alone (and on the CPU's product kernels), also across
// resumptions.
#pragma once

#include "engine/demo/training_plan.h"

#include <stop_token>

namespace batchscope::engine::training {

// Returns when plan.tokens have been trained. `progress` is called after each held-out measurement and at
// least every 50 steps, on a worker thread. Throws EngineError: Cancelled after writing a checkpoint (where
// the plan has one), InvalidFile, Model.
void trainLlama(const TrainingPlan& plan, const TrainingSource& source, const TrainingProgress& progress,
                std::stop_token stop);

} // namespace batchscope::engine::training
