// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/batching/group_rules.h"

#include <algorithm>

namespace batchscope {

int GroupRules::rowsOf(int bin, int cap, const MemoryPacking& packing) const
{
    switch (vbs) {
    case Vbs::Off:
        return rows;
    case Vbs::Table:
        return rowsByTable(std::min(bin, cap));
    case Vbs::Memory:
        return std::max(1, rowsByMemory(packing, limits ? std::min(bin, cap) : cap));
    }
    return rows;
}

int GroupRules::rowsOfRecomputation(int cap, const MemoryPacking& packing) const
{
    return rowsOf(cap, cap, packing);
}

std::vector<MicroBatch> GroupRules::cut(const std::vector<BinnedRequest>& ordered, int cap,
                                        const MemoryPacking& packing) const
{
    if (vbs == Vbs::Off) return cutEvenly(ordered, rows);
    const auto rowsOfBin = [this, cap, &packing](int bin) { return rowsOf(bin, cap, packing); };
    // A threshold that grew with rows by memory would merge everything into one batch.
    const auto threshold = [this](int r) { return vbs == Vbs::Table ? tableMergeThreshold(r) : k_least_cut; };
    return cutByBins(ordered, rowsOfBin, threshold);
}

std::uint32_t GroupRules::slots() const
{
    const int most = vbs == Vbs::Off ? rows : vbs == Vbs::Table ? rowsByTable(1) : max_rows;
    return static_cast<std::uint32_t>(std::min<std::size_t>(group, static_cast<std::size_t>(most)));
}

BatchNeed GroupRules::heaviest(const WorkExtent& extent) const
{
    const auto members = static_cast<int>(std::min(group, extent.requests));
    if (vbs == Vbs::Memory)
        return {1, extent.cap, reserve_bytes, "batching.reserve_bytes"}; // more rows only if they fit
    const char* remedy = vbs == Vbs::Off ? "batching.rows" : "batching.group";
    BatchNeed heaviest{std::min(rowsOfRecomputation(extent.cap, {}), members), extent.cap, 0, remedy};
    const auto tokens = [&extent](const BatchNeed& need) {
        return need.rows * (static_cast<std::int64_t>(extent.longest_prompt) + need.limit_steps);
    };
    const int largest_bin = binOfPrediction(extent.cap, extent.cap);
    for (int bin = bin_width; bin <= largest_bin; bin += bin_width) {
        const BatchNeed need{std::min(rowsOf(bin, extent.cap, {}), members), limitOf(bin, extent.cap), 0,
                             remedy};
        if (tokens(need) > tokens(heaviest)) heaviest = need;
    }
    return heaviest;
}

} // namespace batchscope
