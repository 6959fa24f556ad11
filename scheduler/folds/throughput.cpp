// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/folds/throughput.h"

#include <algorithm>
#include <utility>

namespace batchscope {

ThroughputStrip::ThroughputStrip(Nanos bucket_ns, std::size_t max_buckets)
    : m_bucket_ns(std::max<Nanos>(bucket_ns, 1)), m_max_buckets(std::max<std::size_t>(max_buckets, 2))
{}

void ThroughputStrip::Sums::add(const Sums& more)
{
    useful += more.useful;
    padding += more.padding;
    abandoned += more.abandoned;
    other += more.other;
    waiting_ns += more.waiting_ns;
    occupied_ns += more.occupied_ns;
    kv_used_bytes = std::max(kv_used_bytes, more.kv_used_bytes);
}

void ThroughputStrip::append(std::span<const Event> events)
{
    for (const Event& event : events)
        take(event);
    publish();
}

void ThroughputStrip::take(const Event& event)
{
    pass(event.at_ns);
    if (const auto* started = std::get_if<RunStarted>(&event.body)) {
        m_slots = started->slot_count;
    } else if (const auto* arrived = std::get_if<Arrived>(&event.body)) {
        addWaiting(arrived->arrival_ns, event.at_ns, 1); // it came while the loop was busy
        wait(arrived->request, true);
    } else if (const auto* formed = std::get_if<BatchFormed>(&event.body)) {
        m_residents.form(*formed);
        for (const RowStart& row : formed->rows)
            wait(row.request, false);
    } else if (const auto* steps = std::get_if<Steps>(&event.body)) {
        addSteps(*steps);
    } else if (const auto* row = std::get_if<RowEnded>(&event.body)) {
        endRow(*row);
        wait(row->request, row->cause == RowEnd::Limit); // until it is run again or extended
    } else if (const auto* abandoned = std::get_if<AttemptAbandoned>(&event.body)) {
        abandon(abandoned->request);
    } else if (const auto* batch = std::get_if<BatchEnded>(&event.body)) {
        m_residents.endBatch(batch->batch);
    } else if (const auto* preempted = std::get_if<Preempted>(&event.body)) {
        m_residents.preempt(*preempted);
        wait(preempted->request, true);
    } else if (const auto* resumed = std::get_if<Resumed>(&event.body)) {
        m_residents.resume(*resumed);
    } else if (const auto* memory = std::get_if<MemorySample>(&event.body)) {
        m_kv_used_bytes = memory->kv_used_bytes;
        Sums& now = sums(bucketAt(event.at_ns));
        now.kv_used_bytes = std::max(now.kv_used_bytes, m_kv_used_bytes);
    } else if (const auto* run = std::get_if<RunEnded>(&event.body)) {
        endRun(*run);
    }
}

// Whoever was preempted, or stopped by its limit, and could not go on: nothing comes of it any more.
void ThroughputStrip::endRun(const RunEnded& run)
{
    if (run.status == RunStatus::Interrupted) return;
    while (!m_open.empty())
        abandon(m_open.begin()->first);
}

void ThroughputStrip::wait(RequestIndex request, bool waits)
{
    if (request >= m_waits.size()) m_waits.resize(request + std::size_t{1});
    if (m_waits[request] == waits) return;
    m_waits[request] = waits;
    m_waiting += waits ? 1 : -1;
}

// What ends on the border of two buckets belongs to the earlier one.
std::size_t ThroughputStrip::bucketAt(Nanos moment_ns)
{
    while (std::max<Nanos>(moment_ns - 1, 0) / m_bucket_ns >= static_cast<std::int64_t>(m_max_buckets))
        doubleWidth();
    return static_cast<std::size_t>(std::max<Nanos>(moment_ns - 1, 0) / m_bucket_ns);
}

ThroughputStrip::Sums& ThroughputStrip::sums(std::size_t bucket)
{
    if (bucket >= m_sums.size()) m_sums.resize(bucket + 1);
    m_changed_from = std::min(m_changed_from, bucket);
    return m_sums[bucket];
}

void ThroughputStrip::doubleWidth()
{
    std::vector<Sums> merged((m_sums.size() + 1) / 2);
    for (std::size_t i = 0; i < m_sums.size(); ++i)
        merged[i / 2].add(m_sums[i]);
    m_sums = std::move(merged);
    m_bucket_ns *= 2;
    ++m_doublings;
    m_changed_from = 0;
}

// Calls add(bucket sums, nanoseconds) for each bucket that the time from...to touches.
template <typename Add>
void ThroughputStrip::overBuckets(Nanos from_ns, Nanos to_ns, Add add)
{
    if (to_ns <= from_ns) return;
    const std::size_t last = bucketAt(to_ns);
    for (auto i = static_cast<std::size_t>(from_ns / m_bucket_ns); i <= last; ++i) {
        const Nanos begin_ns = static_cast<Nanos>(i) * m_bucket_ns;
        add(sums(i), std::min(to_ns, begin_ns + m_bucket_ns) - std::max(from_ns, begin_ns));
    }
}

void ThroughputStrip::addWaiting(Nanos from_ns, Nanos to_ns, std::int64_t requests)
{
    overBuckets(from_ns, to_ns, [&](Sums& bucket, Nanos ns) { bucket.waiting_ns += requests * ns; });
}

void ThroughputStrip::pass(Nanos until_ns)
{
    overBuckets(m_end_ns, until_ns, [&](Sums& bucket, Nanos ns) {
        bucket.waiting_ns += m_waiting * ns;
        bucket.occupied_ns += m_residents.occupied() * ns;
        bucket.kv_used_bytes = std::max(bucket.kv_used_bytes, m_kv_used_bytes);
    });
    m_end_ns = std::max(m_end_ns, until_ns);
}

namespace {

// How many passes of the span have ended by `moment_ns` (>= `done` of them).
std::uint32_t passesBy(const Steps& steps, std::uint32_t done, Nanos moment_ns)
{
    std::uint32_t low = done, high = steps.count;
    while (low < high) {
        const std::uint32_t middle = low + (high - low) / 2;
        if (stepEndNs(steps, middle) <= moment_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

} // namespace

void ThroughputStrip::addSteps(const Steps& steps)
{
    if (steps.count == 0) return;
    bucketAt(stepEndNs(steps, steps.count - 1)); // from here on the width stands
    struct Stretch // passes from...to - 1 end in one bucket, the first of them at end_ns
    {
        std::uint32_t from = 0, to = 0;
        Nanos end_ns = 0;
    };
    std::vector<Stretch> stretches;
    for (std::uint32_t done = 0; done < steps.count;) {
        const Nanos end_ns = stepEndNs(steps, done);
        const Nanos border_ns = (static_cast<Nanos>(bucketAt(end_ns)) + 1) * m_bucket_ns;
        const std::uint32_t to = passesBy(steps, done, border_ns);
        stretches.push_back({done, to, end_ns});
        done = to;
    }
    m_residents.advance(
        steps, [&](const Resident& resident, std::uint32_t first, std::uint32_t count, StepKind kind) {
            for (const Stretch& stretch : stretches) {
                const std::uint32_t from = std::max(stretch.from, first);
                const std::uint32_t to = std::min(stretch.to, first + count);
                if (from < to) credit(resident, stretch.end_ns, to - from, kind);
            }
        });
}

void ThroughputStrip::credit(const Resident& resident, Nanos pass_end_ns, std::int64_t passes, StepKind kind)
{
    const std::size_t bucket = bucketAt(pass_end_ns);
    Sums& now = sums(bucket);
    if (kind == StepKind::Useful)
        now.useful += passes;
    else if (kind == StepKind::Padding)
        now.padding += passes;
    else
        now.other += passes;
    if (kind != StepKind::Useful && kind != StepKind::Chunk) return;
    const std::int64_t first_width = static_cast<std::int64_t>(bucket) << m_doublings;
    auto& open = m_open[resident.row.request];
    if (!open.empty() && open.back().bucket == first_width && open.back().kind == kind)
        open.back().count += passes;
    else
        open.push_back({first_width, passes, kind});
}

void ThroughputStrip::endRow(const RowEnded& ended)
{
    m_residents.end(ended);
    const auto open = m_open.find(ended.request);
    if (open == m_open.end()) return;
    if (spendsEndStep(ended.cause)) { // its last pass yielded the end of sequence
        Credit& last = open->second.back();
        Sums& bucket = sums(static_cast<std::size_t>(last.bucket >> m_doublings));
        --last.count;
        --bucket.useful;
        ++bucket.other;
    }
    if (isLost(ended.cause)) abandon(ended.request);
    if (isDelivered(ended.cause)) m_open.erase(ended.request);
}

void ThroughputStrip::abandon(RequestIndex request)
{
    const auto open = m_open.find(request);
    if (open == m_open.end()) return;
    for (const Credit& credit : open->second) {
        Sums& bucket = sums(static_cast<std::size_t>(credit.bucket >> m_doublings));
        (credit.kind == StepKind::Useful ? bucket.useful : bucket.other) -= credit.count;
        bucket.abandoned += credit.count;
    }
    m_open.erase(open);
}

void ThroughputStrip::publish()
{
    m_buckets.resize(m_sums.size());
    for (std::size_t i = std::min(m_changed_from, m_sums.size()); i < m_sums.size(); ++i) {
        const Sums& sum = m_sums[i];
        const Nanos begin_ns = static_cast<Nanos>(i) * m_bucket_ns;
        const auto ns = static_cast<double>(std::min(m_bucket_ns, m_end_ns - begin_ns));
        ThroughputBucket& bucket = m_buckets[i];
        bucket.useful = static_cast<double>(sum.useful);
        bucket.padding = static_cast<double>(sum.padding);
        bucket.abandoned = static_cast<double>(sum.abandoned);
        bucket.other = static_cast<double>(sum.other);
        bucket.queue = ns > 0 ? static_cast<double>(sum.waiting_ns) / ns : 0;
        bucket.occupancy = ns > 0 && m_slots > 0 ? static_cast<double>(sum.occupied_ns) / (ns * m_slots) : 0;
        bucket.kv_used_bytes = static_cast<double>(sum.kv_used_bytes);
    }
    m_changed_from = m_sums.size();
}

} // namespace batchscope
