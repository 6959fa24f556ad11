// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/metrics/token_gaps.h"

#include "scheduler/folds/residents.h"
#include "scheduler/folds/span_times.h"

#include <unordered_map>

namespace batchscope {

namespace {

struct Stretch // passes of one batch, from 0, that each yielded a token of one row
{
    std::size_t batch = 0;
    std::int64_t first = 0, last = 0;
    Nanos first_ns = 0, last_ns = 0, before_last_ns = 0; // ends of these passes
};

struct BatchPasses
{
    std::vector<const Steps*> spans;
    std::int64_t passes = 0;
    std::vector<std::int64_t> turns; // rows whose gaps begin less those whose gaps have ended, by pass
};

class GapFold
{
public:
    void add(const Event& event);
    std::vector<WeightedNanos> take();

private:
    std::size_t batchPosition(BatchIndex batch);
    std::vector<Stretch>& stretches(RequestIndex request);
    void addSteps(const Steps& steps);
    void endRow(const RowEnded& ended);
    void deliver(std::vector<Stretch>& row);
    void pool(const BatchPasses& batch);

    Residents m_residents;
    std::unordered_map<BatchIndex, std::size_t> m_positions;
    std::vector<BatchPasses> m_batches;
    std::vector<std::vector<Stretch>> m_rows; // by request: of the attempt in hand
    std::vector<WeightedNanos> m_gaps;
};

void GapFold::add(const Event& event)
{
    if (const auto* formed = std::get_if<BatchFormed>(&event.body))
        m_residents.form(*formed);
    else if (const auto* steps = std::get_if<Steps>(&event.body))
        addSteps(*steps);
    else if (const auto* row = std::get_if<RowEnded>(&event.body))
        endRow(*row);
    else if (const auto* abandoned = std::get_if<AttemptAbandoned>(&event.body))
        stretches(abandoned->request).clear();
    else if (const auto* batch = std::get_if<BatchEnded>(&event.body))
        m_residents.endBatch(batch->batch);
    else if (const auto* preempted = std::get_if<Preempted>(&event.body))
        m_residents.preempt(*preempted);
    else if (const auto* resumed = std::get_if<Resumed>(&event.body))
        m_residents.resume(*resumed);
}

std::size_t GapFold::batchPosition(BatchIndex batch)
{
    const auto [position, is_new] = m_positions.try_emplace(batch, m_batches.size());
    if (is_new) m_batches.emplace_back();
    return position->second;
}

std::vector<Stretch>& GapFold::stretches(RequestIndex request)
{
    if (request >= m_rows.size()) m_rows.resize(request + std::size_t{1});
    return m_rows[request];
}

void GapFold::addSteps(const Steps& steps)
{
    if (steps.count == 0) return;
    const SpanTimes times = spanTimes(steps);
    const std::size_t position = batchPosition(steps.batch);
    BatchPasses& batch = m_batches[position];
    m_residents.advance(
        steps, [&](const Resident& resident, std::uint32_t first, std::uint32_t count, StepKind kind) {
            if (kind != StepKind::Useful) return;
            auto& row = stretches(resident.row.request);
            const std::int64_t pass = batch.passes + first;
            if (row.empty() || row.back().batch != position || row.back().last + 1 != pass)
                row.push_back({position, pass, pass - 1, times.first_ns, 0, 0});
            Stretch& stretch = row.back();
            stretch.before_last_ns = count > 1 ? times.before_last_ns : stretch.last_ns;
            stretch.last_ns = times.last_ns;
            stretch.last += count;
        });
    batch.spans.push_back(&steps);
    batch.passes += steps.count;
}

void GapFold::endRow(const RowEnded& ended)
{
    m_residents.end(ended);
    auto& row = stretches(ended.request);
    if (spendsEndStep(ended.cause) && !row.empty()) { // the end of sequence is no token
        Stretch& stretch = row.back();
        if (stretch.first == stretch.last) {
            row.pop_back();
        } else {
            --stretch.last;
            stretch.last_ns = stretch.before_last_ns;
        }
    }
    if (isDelivered(ended.cause)) deliver(row);
    if (isDelivered(ended.cause) || isLost(ended.cause)) row.clear();
}

void GapFold::deliver(std::vector<Stretch>& row)
{
    for (std::size_t i = 0; i < row.size(); ++i) {
        const Stretch& stretch = row[i];
        auto& turns = m_batches[stretch.batch].turns;
        if (turns.size() < static_cast<std::size_t>(stretch.last) + 2)
            turns.resize(static_cast<std::size_t>(stretch.last) + 2);
        ++turns[static_cast<std::size_t>(stretch.first) + 1];
        --turns[static_cast<std::size_t>(stretch.last) + 1];
        if (i > 0)
            m_gaps.push_back({stretch.first_ns - row[i - 1].last_ns, 1}); // over a stall or a change of batch
    }
}

void GapFold::pool(const BatchPasses& batch)
{
    std::int64_t rows = 0;
    std::size_t pass = 0;
    Nanos before_ns = 0;
    for (const Steps* steps : batch.spans) {
        Nanos measured_ns = steps->start_ns;
        Picos exact_ps = steps->start_ps;
        Picos duration_ps = steps->first_ps;
        for (std::uint32_t i = 0; i < steps->count && pass < batch.turns.size(); ++i, ++pass) {
            if (steps->durations_ns.empty()) {
                exact_ps += duration_ps;
                duration_ps += steps->growth_ps;
            } else {
                measured_ns += steps->durations_ns[i];
            }
            const Nanos end_ns = steps->durations_ns.empty() ? exact_ps / k_picos_per_nano : measured_ns;
            rows += batch.turns[pass];
            if (rows > 0) m_gaps.push_back({end_ns - before_ns, rows});
            before_ns = end_ns;
        }
    }
}

std::vector<WeightedNanos> GapFold::take()
{
    for (const BatchPasses& batch : m_batches)
        pool(batch);
    return std::move(m_gaps);
}

} // namespace

std::vector<WeightedNanos> tokenGaps(std::span<const Event> log)
{
    GapFold fold;
    for (const Event& event : log)
        fold.add(event);
    return fold.take();
}

} // namespace batchscope
