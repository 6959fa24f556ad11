// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/folds/residents.h"
#include "scheduler/folds/span_times.h"
#include "scheduler/metrics/metrics.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace batchscope {

namespace {

// What a request's attempt in hand has come to; an abandoned attempt starts it anew.
struct Progress
{
    std::optional<Nanos> first_token_ns;
    Nanos last_yield_ns = 0;
    Nanos before_last_yield_ns = 0;
    std::vector<BatchIndex> batches; // it was a row of
    std::uint32_t passes = 0;        // as a resident of a continuous batch
};

class RequestFold
{
public:
    void add(const Event& event);
    std::vector<RequestFigures> take();

private:
    struct Entry
    {
        bool arrived = false;
        RequestFigures figures;
        Progress progress;
        std::vector<BatchIndex> abandoned_batches;
        std::uint32_t abandoned_passes = 0;
    };

    Entry& entry(RequestIndex request);
    void form(Nanos at_ns, const BatchFormed& formed);
    void addSteps(const Steps& steps);
    void endRow(Nanos at_ns, const RowEnded& ended);
    void deliver(Entry& entry, Nanos at_ns, const RowEnded& ended);
    void abandon(const AttemptAbandoned& abandoned);
    void endBatch(Nanos at_ns, BatchIndex batch);
    std::uint32_t stepsOf(const std::vector<BatchIndex>& batches) const;

    Residents m_residents;
    std::vector<Entry> m_entries; // by request
    std::unordered_map<BatchIndex, std::uint32_t> m_batch_steps;
    std::unordered_map<BatchIndex, std::vector<RequestIndex>>
        m_undelivered; // batch-end delivery: ended, held back
    Delivery m_delivery = Delivery::Streamed;
};

RequestFold::Entry& RequestFold::entry(RequestIndex request)
{
    if (request >= m_entries.size()) m_entries.resize(request + std::size_t{1});
    m_entries[request].figures.request = request;
    return m_entries[request];
}

void RequestFold::add(const Event& event)
{
    if (const auto* started = std::get_if<RunStarted>(&event.body)) {
        m_delivery = started->delivery;
        m_entries.reserve(started->requests);
    } else if (const auto* arrived = std::get_if<Arrived>(&event.body)) {
        Entry& arrival = entry(arrived->request);
        arrival.arrived = true;
        arrival.figures.arrival_ns = arrived->arrival_ns;
        arrival.figures.dispatched_ns = event.at_ns;
        arrival.figures.prompt_tokens = arrived->prompt_tokens;
    } else if (const auto* predicted = std::get_if<Predicted>(&event.body)) {
        RequestFigures& figures = entry(predicted->request).figures;
        figures.predicted = true;
        if (!figures.predicted_tokens) figures.predicted_tokens = predicted->tokens;
    } else if (const auto* formed = std::get_if<BatchFormed>(&event.body)) {
        form(event.at_ns, *formed);
    } else if (const auto* steps = std::get_if<Steps>(&event.body)) {
        addSteps(*steps);
    } else if (const auto* row = std::get_if<RowEnded>(&event.body)) {
        endRow(event.at_ns, *row);
    } else if (const auto* abandoned = std::get_if<AttemptAbandoned>(&event.body)) {
        abandon(*abandoned);
    } else if (const auto* batch = std::get_if<BatchEnded>(&event.body)) {
        endBatch(event.at_ns, batch->batch);
    } else if (const auto* preempted = std::get_if<Preempted>(&event.body)) {
        m_residents.preempt(*preempted);
    } else if (const auto* resumed = std::get_if<Resumed>(&event.body)) {
        m_residents.resume(*resumed);
    }
}

void RequestFold::form(Nanos at_ns, const BatchFormed& formed)
{
    m_residents.form(formed);
    for (const RowStart& row : formed.rows) {
        Entry& member = entry(row.request);
        if (!member.figures.scheduled_ns) member.figures.scheduled_ns = at_ns;
        member.figures.attempts =
            std::max(member.figures.attempts, static_cast<std::uint16_t>(row.attempt + 1U));
        if (formed.kind != BatchKind::Continuous) member.progress.batches.push_back(formed.batch);
    }
}

void RequestFold::addSteps(const Steps& steps)
{
    if (steps.count == 0) return;
    const SpanTimes times = spanTimes(steps);
    m_batch_steps[steps.batch] += steps.count;
    m_residents.advance(
        steps, [&](const Resident& resident, std::uint32_t, std::uint32_t count, StepKind kind) {
            Progress& progress = entry(resident.row.request).progress;
            if (resident.kind == BatchKind::Continuous) progress.passes += count;
            if (kind != StepKind::Useful) return;
            if (!progress.first_token_ns) progress.first_token_ns = times.first_ns;
            progress.before_last_yield_ns = count > 1 ? times.before_last_ns : progress.last_yield_ns;
            progress.last_yield_ns = times.last_ns;
        });
}

void RequestFold::endRow(Nanos at_ns, const RowEnded& ended)
{
    m_residents.end(ended);
    Entry& row = entry(ended.request);
    row.figures.end = ended.cause;
    if (isDelivered(ended.cause)) deliver(row, at_ns, ended);
}

void RequestFold::deliver(Entry& row, Nanos at_ns, const RowEnded& ended)
{
    RequestFigures& figures = row.figures;
    figures.output_tokens = ended.output_tokens;
    if (ended.output_tokens > 0) {
        figures.first_token_ns = row.progress.first_token_ns;
        figures.last_token_ns =
            spendsEndStep(ended.cause) ? row.progress.before_last_yield_ns : row.progress.last_yield_ns;
    }
    if (m_delivery == Delivery::BatchEnd)
        m_undelivered[ended.batch].push_back(ended.request);
    else // the end of its last pass, not the moment at which the loop wrote it down
        figures.completed_ns = row.progress.first_token_ns ? row.progress.last_yield_ns : at_ns;
}

void RequestFold::abandon(const AttemptAbandoned& abandoned)
{
    Entry& row = entry(abandoned.request);
    row.figures.abandoned_tokens += abandoned.tokens;
    row.figures.end.reset();
    row.abandoned_batches.insert(row.abandoned_batches.end(), row.progress.batches.begin(),
                                 row.progress.batches.end());
    row.abandoned_passes += row.progress.passes;
    row.progress = {};
}

void RequestFold::endBatch(Nanos at_ns, BatchIndex batch)
{
    m_residents.endBatch(batch);
    const auto held_back = m_undelivered.find(batch);
    if (held_back == m_undelivered.end()) return;
    for (const RequestIndex request : held_back->second)
        entry(request).figures.completed_ns = at_ns;
    m_undelivered.erase(held_back);
}

std::uint32_t RequestFold::stepsOf(const std::vector<BatchIndex>& batches) const
{
    return std::accumulate(batches.begin(), batches.end(), 0U, [&](std::uint32_t sum, BatchIndex batch) {
        const auto steps = m_batch_steps.find(batch);
        return steps == m_batch_steps.end() ? sum : sum + steps->second;
    });
}

std::vector<RequestFigures> RequestFold::take()
{
    std::vector<RequestFigures> all;
    all.reserve(m_entries.size());
    for (Entry& row : m_entries) {
        if (!row.arrived) continue;
        if (row.figures.end && isDelivered(*row.figures.end))
            row.figures.delivered_steps = stepsOf(row.progress.batches) + row.progress.passes;
        row.figures.abandoned_steps = stepsOf(row.abandoned_batches) + row.abandoned_passes;
        all.push_back(row.figures);
    }
    return all;
}

} // namespace

std::vector<RequestFigures> requestFigures(std::span<const Event> log)
{
    RequestFold fold;
    for (const Event& event : log)
        fold.add(event);
    return fold.take();
}

} // namespace batchscope
