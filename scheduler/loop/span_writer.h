// SPDX-License-Identifier: GPL-3.0-or-later
// A backend's answer becomes a span of the log: the same for static and continuous batches.
#pragma once

#include "scheduler/backend.h"
#include "scheduler/event.h"

#include <vector>

namespace batchscope {

class LoopCore;

struct SpanStart
{
    BatchIndex batch = 0;
    std::uint32_t steps = 0; // passes that the batch ran before
    Nanos start_ns = 0;
    Picos start_ps = 0;
};

// When a span must close at the latest: measured ones within 50 ms (house.md), simulated ones never.
Nanos longestSpanEnd(const LoopCore& core, Nanos start_ns);

// Throws BackendError where the backend ran too few or too many passes or did not say how long they took.
void checkResult(const LoopCore& core, BatchIndex batch, const PassResult& result, std::uint32_t at_most);

// Moves a virtual clock and logs the span.
void emitSpan(LoopCore& core, const SpanStart& start, const PassResult& result,
              const std::vector<PromptRead>& reads);

} // namespace batchscope
