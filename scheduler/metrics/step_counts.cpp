// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/metrics/step_counts.h"

#include "scheduler/folds/residents.h"

#include <vector>

namespace batchscope {

namespace {

class StepFold
{
public:
    void add(const Event& event);
    const StepCounts& counts() const { return m_counts; }

private:
    struct Attempt // steps that may yet turn out to be thrown away
    {
        std::int64_t useful = 0;
        std::int64_t chunk = 0;
    };
    Attempt& attempt(RequestIndex request);
    void form(const BatchFormed& formed);
    void addSteps(const Steps& steps);
    void endRow(const RowEnded& ended);
    void abandon(RequestIndex request);
    void endRun(const RunEnded& run);

    Residents m_residents;
    std::vector<Attempt> m_attempts; // by request
    StepCounts m_counts;
    std::vector<bool> m_seen; // batches
};

StepFold::Attempt& StepFold::attempt(RequestIndex request)
{
    if (request >= m_attempts.size()) m_attempts.resize(request + std::size_t{1});
    return m_attempts[request];
}

void StepFold::add(const Event& event)
{
    if (const auto* formed = std::get_if<BatchFormed>(&event.body))
        form(*formed);
    else if (const auto* steps = std::get_if<Steps>(&event.body))
        addSteps(*steps);
    else if (const auto* row = std::get_if<RowEnded>(&event.body))
        endRow(*row);
    else if (const auto* abandoned = std::get_if<AttemptAbandoned>(&event.body))
        abandon(abandoned->request);
    else if (const auto* batch = std::get_if<BatchEnded>(&event.body))
        m_residents.endBatch(batch->batch);
    else if (const auto* preempted = std::get_if<Preempted>(&event.body))
        m_residents.preempt(*preempted);
    else if (const auto* resumed = std::get_if<Resumed>(&event.body))
        m_residents.resume(*resumed);
    else if (const auto* run = std::get_if<RunEnded>(&event.body))
        endRun(*run);
}

// Whoever was preempted, or stopped by its limit, and could not go on: nothing comes of it any more.
void StepFold::endRun(const RunEnded& run)
{
    if (run.status == RunStatus::Interrupted) return; // what the log would have said next is not known
    for (RequestIndex request = 0; request < m_attempts.size(); ++request)
        abandon(request);
}

void StepFold::form(const BatchFormed& formed)
{
    m_residents.form(formed);
    if (formed.batch >= m_seen.size()) m_seen.resize(formed.batch + std::size_t{1});
    if (!m_seen[formed.batch]) ++m_counts.batches;
    m_seen[formed.batch] = true;
    if (formed.kind == BatchKind::Continuous) m_counts.continuous = true;
    for (const RowStart& row : formed.rows) {
        if (row.resumed_tokens > 0) continue; // its prompt was read in an earlier batch
        m_counts.prompt_tokens += row.prompt_tokens;
        m_counts.padded_tokens +=
            formed.padded_prompt_tokens > 0 ? formed.padded_prompt_tokens : row.prompt_tokens;
    }
}

void StepFold::addSteps(const Steps& steps)
{
    m_counts.decode_steps += steps.count;
    StepKinds& kinds = m_counts.kinds;
    m_residents.advance(steps,
                        [&](const Resident& resident, std::uint32_t, std::uint32_t count, StepKind kind) {
                            if (kind == StepKind::Padding) {
                                kinds.padding += count;
                            } else if (kind == StepKind::Stalled) {
                                kinds.stalled += count;
                            } else if (kind == StepKind::Chunk) {
                                kinds.chunk += count;
                                attempt(resident.row.request).chunk += count;
                            } else {
                                kinds.useful += count;
                                attempt(resident.row.request).useful += count;
                            }
                        });
}

void StepFold::endRow(const RowEnded& ended)
{
    m_residents.end(ended);
    if (spendsEndStep(ended.cause)) { // its last pass yielded the end of sequence
        --m_counts.kinds.useful;
        ++m_counts.kinds.end;
    }
    if (isLost(ended.cause)) abandon(ended.request);
    if (isDelivered(ended.cause)) attempt(ended.request) = {};
}

void StepFold::abandon(RequestIndex request)
{
    Attempt& lost = attempt(request);
    m_counts.kinds.useful -= lost.useful;
    m_counts.kinds.chunk -= lost.chunk;
    m_counts.kinds.abandoned += lost.useful + lost.chunk;
    lost = {};
}

} // namespace

StepCounts countSteps(std::span<const Event> log)
{
    StepFold fold;
    for (const Event& event : log)
        fold.add(event);
    return fold.counts();
}

} // namespace batchscope
