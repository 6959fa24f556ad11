// SPDX-License-Identifier: GPL-3.0-or-later
// What the session's largest planned batch needs, before anything is loaded.
#pragma once

#include "sessions/session_document.h"
#include "widgets/compose/facts.h"

#include <cstdint>

namespace batchscope::widgets {

struct MemoryPlan
{
    std::int64_t rows = 0;   // of the batch that needs most ...
    std::int64_t tokens = 0; // ... and its longest prompt + cap, per row
    std::int64_t weights_bytes = 0, kv_bytes = 0, free_bytes = 0;
    // Prefills that a predictor with the model's weights may leave for its requests, as far as there is room:
    // beyond it the loop drops them and reads those prompts again.
    std::int64_t held_bytes = 0;
    bool known = false;
    bool fits() const { return weights_bytes + kv_bytes <= free_bytes; }
};

MemoryPlan planMemory(const sessions::SessionDocument& document, const Registry& registry,
                      const WorkloadFacts& workload, const ModelFacts& model);

} // namespace batchscope::widgets
