// SPDX-License-Identifier: GPL-3.0-or-later
// Grouped mode's arithmetic (scheduling.md, "Bins and VBS", "Limit and FCR"): pure functions on integers.
#pragma once

#include "scheduler/ordering/ordering.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace batchscope {

constexpr int clampPrediction(int predicted_tokens, int cap) // to 1...cap
{
    return std::clamp(predicted_tokens, 1, cap);
}
// Upper end of the bin that a prediction falls in: ceil(predicted / width) * width, after clamping
// to 1...cap.
int binOf(int predicted_tokens, int bin_width, int cap);
// Passes that a micro-batch of this bin may take under a predicted limit: n tokens and the end of sequence,
// min(bin + 1, cap).
int limitOfBin(int bin, int cap);

// Rows of a VBS batch by the published table: up to 50 tokens 256, 100: 128, 150: 64, 200: 32, longer: 16.
int rowsByTable(int bin_tokens);

// What VBS by memory packs into. No kv_bytes: the device sets no bound, and max_rows decides.
struct MemoryPacking
{
    int max_rows = 64;
    std::optional<std::int64_t> kv_bytes; // what held prefills use is taken off already
    std::int64_t reserve_bytes = 0;
    std::int64_t kv_bytes_per_token = 0;
    int longest_prompt = 0; // of the group
    bool operator==(const MemoryPacking&) const = default;
};
int rowsByMemory(const MemoryPacking& packing, int bin_tokens); // 0 where not even one row fits

inline constexpr int k_least_cut = 16; // a shorter last cut is merged
// Below this a bin's last cut is appended behind the next larger bin.
int tableMergeThreshold(int rows); // max(floor(rows / 2), 16)

struct BinnedRequest
{
    int bin = 0;
    OrderKey order;
    bool operator==(const BinnedRequest&) const = default;
};
// Bins ascend; inside a bin the strategy's ordering decides.
void sortByBin(std::vector<BinnedRequest>& members);

struct MicroBatch
{
    std::vector<RequestIndex> rows;
    int bin = 0; // the largest among its rows
    bool operator==(const MicroBatch&) const = default;
};

// Without VBS: the ordered group in batches of `rows`.
std::vector<MicroBatch> cutEvenly(std::span<const BinnedRequest> ordered, int rows);

// VBS. `rowsOf(bin)` >= 1. A bin's last cut shorter than `thresholdOf(rows)` goes, in its order, behind the
// members of the next larger bin that exists; the largest keeps it. Every request is in exactly one
// micro-batch.
std::vector<MicroBatch> cutByBins(std::span<const BinnedRequest> ordered,
                                  const std::function<int(int)>& rowsOf,
                                  const std::function<int(int)>& thresholdOf);

} // namespace batchscope
