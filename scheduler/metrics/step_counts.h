// SPDX-License-Identifier: GPL-3.0-or-later
// Slot-steps by kind and what batches ran: the counts behind waste, ratios and average lengths (metrics.md).
#pragma once

#include "scheduler/metrics/metrics.h"

#include <cstdint>
#include <span>

namespace batchscope {

struct StepCounts
{
    StepKinds kinds;
    std::int64_t decode_steps = 0; // sum over batches of the steps each ran; continuous: passes
    std::int64_t batches = 0;
    bool continuous = false;
    std::int64_t prompt_tokens = 0; // of all rows of all batches ...
    std::int64_t padded_tokens = 0; // ... and as wide as their batches made them
};

StepCounts countSteps(std::span<const Event> log);

} // namespace batchscope
