// SPDX-License-Identifier: GPL-3.0-or-later
// Two strategies over the same repetitions: what both owe to an easy or a hard workload cancels where it is
// taken off pair by pair (same seed, same workload).
#pragma once

#include "scheduler/statistics/bootstrap.h"

#include <cstdint>
#include <span>

namespace batchscope {

struct Repeated // a figure of one repetition; absent figures are left out by the caller
{
    std::uint64_t seed = 0; // of its workload: what makes a pair
    double value = 0;
    bool operator==(const Repeated&) const = default;
};

struct PairedDifference
{
    Estimate difference;                          // median of (other - baseline) over the pairs
    std::int64_t above = 0, below = 0, equal = 0; // pairs in which the other's figure is that
    std::int64_t unpaired = 0;                    // figures without a counterpart: left out
    // Whether the interval leaves 0 out; never with too few pairs.
    bool isClear() const;
    // Whether the interval, or the range of too few pairs, holds 0: the sign is open. False without two
    // pairs.
    bool isOpen() const;
};

// A seed counts once on each side, at its first figure.
PairedDifference pairedDifference(std::span<const Repeated> baseline, std::span<const Repeated> other,
                                  const BootstrapOptions& options = {});

} // namespace batchscope
