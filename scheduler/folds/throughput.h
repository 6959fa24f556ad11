// SPDX-License-Identifier: GPL-3.0-or-later
// Rates over time: a fold over the log into buckets of equal width. Tokens are credited at the end of their
// own pass.
#pragma once

#include "scheduler/event.h"
#include "scheduler/folds/padding_map.h"

#include <memory>
#include <span>
#include <vector>

namespace batchscope {

struct ThroughputBucket
{
    double useful = 0; // slot-steps in the bucket by kind ...
    double padding = 0;
    double abandoned =
        0;            // ... (known only when the attempt is thrown away: earlier buckets are corrected then)
    double other = 0; // end, chunk, stalled
    double queue = 0; // mean number of waiting requests
    double occupancy = 0; // mean active slots / slots, 0...1
    double kv_used_bytes = 0;
    bool operator==(const ThroughputBucket&) const = default;
};

// The bucket width doubles (and buckets are merged) when `max_buckets` are full, so that memory is bounded.
class ThroughputStrip
{
public:
    explicit ThroughputStrip(Nanos bucket_ns = 50'000'000, std::size_t max_buckets = 1024);
    void append(std::span<const Event> events);
    Nanos bucketNs() const { return m_bucket_ns; }
    const std::vector<ThroughputBucket>& buckets() const { return m_buckets; }
    Nanos end() const { return m_end_ns; }

private:
    struct State;
    std::shared_ptr<State> m_state; // fold state (residents, queue); see throughput.cpp
    Nanos m_bucket_ns;
    std::size_t m_max_buckets;
    Nanos m_end_ns = 0;
    std::vector<ThroughputBucket> m_buckets;
};

} // namespace batchscope
