// SPDX-License-Identifier: GPL-3.0-or-later
// Inter-token latency: every gap between two tokens of a delivered attempt, pooled over requests
// (metrics.md). Gaps that several rows of a batch share are counted once with their number, so that the cost
// goes with passes.
#pragma once

#include "scheduler/event.h"
#include "scheduler/metrics/summary.h"

#include <span>
#include <vector>

namespace batchscope {

std::vector<WeightedNanos> tokenGaps(std::span<const Event> log);

} // namespace batchscope
