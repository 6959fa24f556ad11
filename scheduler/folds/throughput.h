// SPDX-License-Identifier: GPL-3.0-or-later
// Rates over time: a fold over the log into buckets of equal width. Tokens are credited at the end of their
// own pass.
#pragma once

#include "scheduler/event.h"
#include "scheduler/folds/residents.h"

#include <cstdint>
#include <span>
#include <unordered_map>
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
    double occupancy = 0;     // mean occupied slots / slots, 0...1
    double kv_used_bytes = 0; // largest
    bool operator==(const ThroughputBucket&) const = default;
};

// The bucket width doubles (and buckets are merged) when `max_buckets` are full, so that memory is bounded.
// Incremental: the result does not depend on how events were cut, nor on how spans were split.
class ThroughputStrip
{
public:
    explicit ThroughputStrip(Nanos bucket_ns = 50'000'000, std::size_t max_buckets = 1024);
    void append(std::span<const Event> events);
    Nanos bucketNs() const { return m_bucket_ns; }
    const std::vector<ThroughputBucket>& buckets() const { return m_buckets; }
    Nanos end() const { return m_end_ns; }

private:
    struct Sums // of a bucket, in integers: they do not depend on the order in which they were added up
    {
        std::int64_t useful = 0, padding = 0, abandoned = 0, other = 0;
        std::int64_t waiting_ns = 0, occupied_ns = 0;
        std::int64_t kv_used_bytes = 0;
        void add(const Sums& more);
    };
    struct Credit // steps that may yet turn out to be thrown away
    {
        std::int64_t bucket = 0; // in buckets of the first width
        std::int64_t count = 0;
        StepKind kind = StepKind::Useful;
    };

    void take(const Event& event);
    void addSteps(const Steps& steps);
    void credit(const Resident& resident, Nanos pass_end_ns, std::int64_t passes, StepKind kind);
    void endRow(const RowEnded& ended);
    void abandon(RequestIndex request);
    void endRun(const RunEnded& run);
    void wait(RequestIndex request, bool waits);
    void pass(Nanos until_ns);
    void addWaiting(Nanos from_ns, Nanos to_ns, std::int64_t requests);
    template <typename Add>
    void overBuckets(Nanos from_ns, Nanos to_ns, Add add);
    std::size_t bucketAt(Nanos moment_ns);
    Sums& sums(std::size_t bucket);
    void doubleWidth();
    void publish();

    Residents m_residents;
    std::vector<Sums> m_sums;
    std::vector<ThroughputBucket> m_buckets;
    std::size_t m_changed_from = 0; // buckets from here on are to be published anew
    std::unordered_map<RequestIndex, std::vector<Credit>> m_open;
    std::vector<bool> m_waits; // by request
    std::int64_t m_waiting = 0;
    std::int64_t m_kv_used_bytes = 0;
    std::uint32_t m_slots = 0;
    Nanos m_bucket_ns;
    int m_doublings = 0;
    std::size_t m_max_buckets;
    Nanos m_end_ns = 0;
};

} // namespace batchscope
