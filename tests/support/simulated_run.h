// SPDX-License-Identifier: GPL-3.0-or-later
// Runs on the simulator with a cost model that is easy to follow by hand.
#pragma once

#include "engine/simulated/simulated_backend.h"
#include "tests/support/recorded_run.h"

namespace batchscope::tests {

// A pass takes 1 ms, and 1 ms more for each prompt token it reads. A token's KV cache has one byte.
inline engine::CostModel plainModel()
{
    engine::CostModel model;
    model.name = "plain";
    model.pass_ps = 1'000'000'000;
    model.prefill_token_ps = 1'000'000'000;
    model.kv_bytes_per_token = 1;
    return model;
}

inline RecordedRun runSimulated(const Workload& workload, const Strategy& strategy,
                                const engine::CostModel& model = plainModel())
{
    VirtualClock clock;
    engine::SimulatedBackend backend(model, clock);
    return runOn(backend, clock, workload, strategy);
}

inline PartSpec continuousOf(int slot_count, std::map<std::string, ParamValue> others = {})
{
    others["slots"] = std::int64_t{slot_count};
    return {"continuous", std::move(others)};
}

} // namespace batchscope::tests
