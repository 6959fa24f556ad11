// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/statistics/paired.h"

#include <map>
#include <vector>

namespace batchscope {

bool PairedDifference::isClear() const
{
    return difference.note.empty() && difference.interval && !difference.interval->holds(0);
}

bool PairedDifference::isOpen() const
{
    return difference.spread() && difference.spread()->holds(0);
}

PairedDifference pairedDifference(std::span<const Repeated> baseline, std::span<const Repeated> other,
                                  const BootstrapOptions& options)
{
    std::map<std::uint64_t, double> by_seed;
    for (const Repeated& one : baseline)
        by_seed.try_emplace(one.seed, one.value);
    PairedDifference paired;
    paired.unpaired = static_cast<std::int64_t>(baseline.size() + other.size());
    std::vector<double> differences;
    for (const Repeated& one : other) {
        const auto counterpart = by_seed.find(one.seed);
        if (counterpart == by_seed.end()) continue;
        const double difference = one.value - counterpart->second;
        differences.push_back(difference);
        (difference > 0 ? paired.above : difference < 0 ? paired.below : paired.equal) += 1;
        paired.unpaired -= 2;
        by_seed.erase(counterpart);
    }
    paired.difference = medianEstimate(differences, options);
    return paired;
}

} // namespace batchscope
