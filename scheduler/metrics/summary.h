// SPDX-License-Identifier: GPL-3.0-or-later
// Summaries of pooled values that come in runs of equals, so that pooling over tokens costs as much as over
// passes.
#pragma once

#include "scheduler/metrics/metrics.h"

#include <cstdint>
#include <vector>

namespace batchscope {

struct WeightedNanos
{
    Nanos value_ns = 0;
    std::int64_t weight = 0; // how many of the pooled values equal it
    bool operator==(const WeightedNanos&) const = default;
};

// The summary, in seconds, of the multiset in which each value stands `weight` times.
Summary summarizeWeighted(std::vector<WeightedNanos> values);

} // namespace batchscope
