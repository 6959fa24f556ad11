// SPDX-License-Identifier: GPL-3.0-or-later
// Why somebody was picked, or lost its place: one decision of a run, in words.
#pragma once

#include "scheduler/event.h"

#include <cstdint>
#include <optional>
#include <string>

namespace batchscope {

struct Decision // what a Picked or a Preempted event says, and what was known of those it names
{
    std::int64_t number = 0; // from 1
    Nanos at_ns = 0;
    Picked picked;
    std::optional<Preempted> preempted; // then `picked` says no more than whom it is about
    std::optional<int> predicted, first_passed_predicted;
    std::optional<int> bin;            // grouped mode: the largest of its batch
    std::optional<std::uint32_t> slot; // continuous mode: the one it takes
    int generated = 0;                 // tokens it had when it lost its place, now or before
    bool keeps_kv = false;             // of them it lost nothing

    RequestIndex request() const { return picked.request; }
};

// "r12 goes next into batch 7. Predicted 89 tokens, bin 100; waited 3.1 s. Its bin is smaller than that of
// r4. Passed over r4: predicted 388 tokens."
std::string explain(const Decision& decision);

} // namespace batchscope
