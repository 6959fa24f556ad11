// SPDX-License-Identifier: GPL-3.0-or-later
// One worker's share of a training step: sequences laid end to end, without padding. Rows are input tokens; a
// target row is one whose next token belongs to the answer.
#pragma once

#include "engine/demo/training_plan.h"

#include <cstdint>
#include <span>
#include <vector>

namespace batchscope::engine::training {

struct PackedBatch
{
    std::vector<std::int64_t> tokens;      // [rows]
    std::vector<std::int64_t> starts;      // first row of each sequence, and rows at the end
    std::vector<std::int64_t> target_rows; // [targets]
    std::vector<std::int64_t> targets;     // [targets]
    std::vector<float> weights;            // [targets], they sum to 1 over all workers of the step
};

struct TrainingStep
{
    std::vector<PackedBatch> shares; // one per worker
    std::uint64_t next_example = 0;  // where the following step begins
    std::int64_t tokens = 0;         // of prompts and answers
};

PackedBatch packExamples(std::span<const TrainingExample> examples, double answer_length_exponent);

// The step that begins at example `first`: as many examples as fit in plan.tokens_per_step (at least one for
// each worker), longest first, dealt out so that every worker gets like work. Throws EngineError(Model) on an
// example without prompt or answer, outside the vocabulary or longer than the context.
TrainingStep packStep(const TrainingPlan& plan, const TrainingSource& source, std::uint64_t first);

} // namespace batchscope::engine::training
