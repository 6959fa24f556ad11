// SPDX-License-Identifier: GPL-3.0-or-later
// What is refused before a run's first event: requests that the backend can never serve, batches that can
// never fit.
#pragma once

#include "scheduler/backend.h"
#include "scheduler/batching/batching_mode.h"
#include "scheduler/request.h"
#include "scheduler/strategy.h"

namespace batchscope {

// Throws SchedulerError naming the request, the value found and the bound.
void checkRequests(const Workload& workload, const Capabilities& capabilities);

// limits.kv_bytes, or what the backend has free now. A measured run gets no more than there is.
KvBudget kvBudget(const Limits& limits, const Capabilities& capabilities);

WorkExtent workExtent(const Workload& workload, const Limits& limits, const KvBudget& kv);

// Throws SchedulerError with what is needed, what is allowed and the largest number of rows that fits.
void checkFits(const std::string& strategy, const BatchNeed& need, const WorkExtent& extent);

// Tokens of held prefills that fit beside the heaviest batch; no bound where the device sets none.
std::optional<std::int64_t> holdableTokens(const BatchNeed& need, const WorkExtent& extent);

} // namespace batchscope
