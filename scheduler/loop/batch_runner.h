// SPDX-License-Identifier: GPL-3.0-or-later
// Runs one static batch from its first pass to its last: every batch of modes none, static and grouped.
#pragma once

#include "scheduler/event.h"

#include <optional>
#include <vector>

namespace batchscope {

class LoopCore;

struct BatchSpec
{
    BatchKind kind = BatchKind::Static;
    std::optional<GroupIndex> group;
    std::optional<int> bin;
    int limit_steps = 0;                   // passes; the cap, or less where a prediction sets it
    std::vector<RequestIndex> rows;        // in the order in which they were picked
    std::optional<RequestIndex> runner_up; // who would have been next
    bool keeps_stopped = false; // rows stopped by the limit keep their KV cache where it fits (extend)
    // What published code did (scheduler/parts/compat.h):
    bool passes_cap = false;   // S-4: the limit holds even beyond the cap
    bool stops_at_cap = false; // S-5: who used the whole cap is stopped as if a prediction had been too short
    std::vector<RequestIndex> answers_of; // S-1: whose length each row runs to; empty: its own
};

// Returns the requests whose row the predicted limit stopped, in row order: their attempt is logged as
// abandoned, or they are suspended with their KV cache. RunStopped and errors leave it after every row has
// been closed (cancelled, failed).
std::vector<RequestIndex> runBatch(LoopCore& core, const BatchSpec& spec);

} // namespace batchscope
