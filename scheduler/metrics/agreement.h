// SPDX-License-Identifier: GPL-3.0-or-later
// How well predictions agree with what came: errors in tokens and agreement of ranks (metrics.md, "prediction
// error").
#pragma once

#include "scheduler/metrics/metrics.h"

#include <cstdint>
#include <span>

namespace batchscope {

// Error of predicted against actual tokens, pair by pair.
PredictionError predictionError(std::span<const double> predicted, std::span<const double> actual);

std::optional<double> pearson(std::span<const double> a,
                              std::span<const double> b); // null: n < 2 or constant

struct PairCounts
{
    std::int64_t pairs = 0;
    std::int64_t tied_a = 0; // pairs equal in a (in b too or not)
    std::int64_t tied_b = 0;
    std::int64_t tied_both = 0;
    std::int64_t discordant = 0; // ordered one way by a and the other way by b
    bool operator==(const PairCounts&) const = default;
};
PairCounts countPairs(std::span<const double> a, std::span<const double> b); // O(n log n)

} // namespace batchscope
