// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/batching/bins.h"

#include <algorithm>

namespace batchscope {
namespace {

MicroBatch microBatch(std::span<const BinnedRequest> members)
{
    MicroBatch batch;
    batch.rows.reserve(members.size());
    for (const BinnedRequest& member : members) {
        batch.rows.push_back(member.order.request);
        batch.bin = std::max(batch.bin, member.bin);
    }
    return batch;
}

std::size_t endOfBin(std::span<const BinnedRequest> ordered, std::size_t begin)
{
    std::size_t end = begin;
    while (end < ordered.size() && ordered[end].bin == ordered[begin].bin)
        ++end;
    return end;
}

} // namespace

int binOf(int predicted_tokens, int bin_width, int cap)
{
    const int predicted = clampPrediction(predicted_tokens, cap);
    return (predicted + bin_width - 1) / bin_width * bin_width;
}

int limitOfBin(int bin, int cap)
{
    return std::min(bin + 1, cap);
}

int rowsByTable(int bin_tokens)
{
    if (bin_tokens <= 50) return 256;
    if (bin_tokens <= 100) return 128;
    if (bin_tokens <= 150) return 64;
    if (bin_tokens <= 200) return 32;
    return 16;
}

int rowsByMemory(const MemoryPacking& packing, int bin_tokens)
{
    if (!packing.kv_bytes) return packing.max_rows;
    const std::int64_t usable = std::max<std::int64_t>(0, *packing.kv_bytes - packing.reserve_bytes);
    const std::int64_t row_bytes =
        (static_cast<std::int64_t>(packing.longest_prompt) + bin_tokens) * packing.kv_bytes_per_token;
    if (row_bytes <= 0) return packing.max_rows;
    return static_cast<int>(std::min<std::int64_t>(packing.max_rows, usable / row_bytes));
}

int tableMergeThreshold(int rows)
{
    return std::max(rows / 2, k_least_cut);
}

void sortByBin(std::vector<BinnedRequest>& members)
{
    std::sort(members.begin(), members.end(), [](const BinnedRequest& a, const BinnedRequest& b) {
        return a.bin != b.bin ? a.bin < b.bin : a.order < b.order;
    });
}

std::vector<MicroBatch> cutEvenly(std::span<const BinnedRequest> ordered, int rows)
{
    std::vector<MicroBatch> batches;
    const auto step = static_cast<std::size_t>(rows);
    for (std::size_t begin = 0; begin < ordered.size(); begin += step)
        batches.push_back(microBatch(ordered.subspan(begin, std::min(step, ordered.size() - begin))));
    return batches;
}

std::vector<MicroBatch> cutByBins(std::span<const BinnedRequest> ordered,
                                  const std::function<int(int)>& rowsOf,
                                  const std::function<int(int)>& thresholdOf)
{
    std::vector<MicroBatch> batches;
    std::vector<BinnedRequest> carried;
    for (std::size_t begin = 0; begin < ordered.size();) {
        const std::size_t end = endOfBin(ordered, begin);
        const int rows = rowsOf(ordered[begin].bin);
        std::vector<BinnedRequest> members(ordered.begin() + static_cast<std::ptrdiff_t>(begin),
                                           ordered.begin() + static_cast<std::ptrdiff_t>(end));
        members.insert(members.end(), carried.begin(), carried.end());
        carried.clear();
        const std::size_t last_cut = (members.size() - 1) % static_cast<std::size_t>(rows) + 1;
        const bool is_largest = end == ordered.size();
        if (!is_largest && static_cast<int>(last_cut) < thresholdOf(rows)) {
            carried.assign(members.end() - static_cast<std::ptrdiff_t>(last_cut), members.end());
            members.resize(members.size() - last_cut);
        }
        for (MicroBatch& batch : cutEvenly(members, rows))
            batches.push_back(std::move(batch));
        begin = end;
    }
    return batches;
}

} // namespace batchscope
