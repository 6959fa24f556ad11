// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/loop/batch_runner.h"

#include "scheduler/loop/loop_core.h"

#include <algorithm>
#include <fmt/core.h>
#include <limits>

namespace batchscope {
namespace {

constexpr Nanos k_longest_span_ns = 50'000'000; // measured spans close at least this often (house.md)

struct Row
{
    RowStart start;
    SlotHandle slot = 0;
    bool ended = false;
};

class BatchRunner
{
public:
    BatchRunner(LoopCore& core, const BatchSpec& spec) : m_core(core), m_spec(spec), m_batch(core.nextBatch())
    {}

    std::vector<RequestIndex> run()
    {
        pick();
        form();
        try {
            admit();
            while (runSpan())
                m_core.absorb();
            close();
        } catch (const RunStopped&) {
            closeEarly(RowEnd::Cancelled);
            throw;
        } catch (...) {
            closeEarly(RowEnd::Failed);
            throw;
        }
        return std::move(m_stopped);
    }

private:
    void pick();
    Picked reason(std::size_t position, Nanos at_ns);
    PickRule rule(RequestIndex picked, const std::optional<RequestIndex>& runner_up, bool others_wait);
    void form();
    void admit();
    Plan plan() const;
    bool runSpan();
    void logSpan(const PassResult& result, Nanos start_ns, Picos start_ps);
    void endRows(const PassResult& result);
    void endAtLimit();
    void endRow(std::size_t row, RowEnd cause, int output_tokens);
    void check(const PassResult& result, std::uint32_t at_most) const;
    void close();
    void closeEarly(RowEnd cause);

    LoopCore& m_core;
    const BatchSpec& m_spec;
    BatchIndex m_batch;
    std::vector<Row> m_rows;
    int m_padded_prompt_tokens = 0;
    std::uint32_t m_steps = 0;
    std::size_t m_running = 0; // rows that have not ended
    bool m_closed = false;
    std::vector<RequestIndex> m_stopped;
};

PickRule BatchRunner::rule(RequestIndex picked, const std::optional<RequestIndex>& runner_up,
                           bool others_wait)
{
    if (m_spec.kind == BatchKind::Recompute) return PickRule::Recompute;
    if (!runner_up)
        return others_wait ? PickRule::Arrival : PickRule::OnlyOne; // a group's last: the others came later
    const Served& best = m_core.served(picked);
    const Served& next = m_core.served(*runner_up);
    if (best.bin != next.bin) return PickRule::Bin;
    const bool is_tie = m_core.ordering().strictRule() == PickRule::Arrival
                            ? m_core.request(picked).arrival_ns == m_core.request(*runner_up).arrival_ns
                            : best.key == next.key;
    return is_tie ? PickRule::Tie : m_core.ordering().strictRule();
}

Picked BatchRunner::reason(std::size_t position, Nanos at_ns)
{
    const RequestIndex request = m_spec.rows[position];
    const WaitingQueue::PassedOver passed = m_core.waiting().pick(request);
    Picked picked;
    picked.request = request;
    picked.batch = m_batch;
    picked.key = m_core.served(request).key;
    picked.waited_ns = at_ns - m_core.request(request).arrival_ns;
    picked.passed_over = passed.count;
    picked.first_passed = passed.first;
    if (passed.first) picked.first_passed_key = m_core.served(*passed.first).key;
    picked.runner_up =
        position + 1 < m_spec.rows.size() ? std::optional(m_spec.rows[position + 1]) : m_spec.runner_up;
    if (picked.runner_up) picked.runner_up_key = m_core.served(*picked.runner_up).key;
    picked.rule = rule(request, picked.runner_up, passed.others_wait);
    return picked;
}

void BatchRunner::pick()
{
    const Nanos at_ns = m_core.now(); // one decision, one moment
    for (std::size_t i = 0; i < m_spec.rows.size(); ++i)
        m_core.emitAt(at_ns, reason(i, at_ns));
}

void BatchRunner::form()
{
    for (const RequestIndex index : m_spec.rows) {
        const Request& request = m_core.request(index);
        const int most = m_core.maxNewTokens(request);
        Row row;
        row.start.slot = static_cast<std::uint32_t>(m_rows.size());
        row.start.request = index;
        row.start.attempt = m_core.served(index).attempts++;
        row.start.prompt_tokens = request.prompt_tokens;
        row.start.limit_steps = std::min(m_spec.limit_steps, most);
        row.start.limit_is_cap = row.start.limit_steps == most;
        row.start.held_prefill = m_core.served(index).held.has_value();
        m_padded_prompt_tokens = std::max(m_padded_prompt_tokens, request.prompt_tokens);
        m_rows.push_back(row);
    }
    m_running = m_rows.size();
    BatchFormed formed{m_batch, m_spec.kind, m_spec.group, m_spec.bin, m_padded_prompt_tokens, {}};
    for (const Row& row : m_rows)
        formed.rows.push_back(row.start);
    m_core.emit(std::move(formed));
}

void BatchRunner::admit()
{
    const Workload& workload = m_core.workload();
    for (Row& row : m_rows) {
        const Request& request = m_core.request(row.start.request);
        Admission admission;
        admission.request = &request;
        admission.max_new_tokens = m_core.maxNewTokens(request);
        if (workload.lengths != LengthMode::Free) admission.forced_length = request.output_tokens;
        admission.sampling = workload.sampling;
        row.slot = m_core.backend().admit(admission, m_core.takeHeld(row.start.request));
    }
}

Plan BatchRunner::plan() const
{
    Plan plan;
    plan.first = m_steps == 0;
    plan.padded_prompt_tokens = m_padded_prompt_tokens;
    for (const Row& row : m_rows) {
        plan.limit_steps = std::max(plan.limit_steps, row.start.limit_steps);
        if (m_steps > 0)
            plan.rows.push_back({row.slot, row.ended ? RowRole::Burn : RowRole::Decode, 0});
        else if (row.start.held_prefill)
            plan.rows.push_back({row.slot, RowRole::Held, 0});
        else
            plan.rows.push_back({row.slot, RowRole::Read, row.start.prompt_tokens});
    }
    return plan;
}

// One span of passes; false after the batch's last.
bool BatchRunner::runSpan()
{
    m_core.checkpoint();
    const Plan now_planned = plan();
    const std::uint32_t at_most = static_cast<std::uint32_t>(now_planned.limit_steps) - m_steps;
    const Nanos start_ns = m_core.now();
    const Picos start_ps = m_core.nowPs();
    const Nanos not_beyond_ns =
        m_core.isVirtual() ? std::numeric_limits<Nanos>::max() : start_ns + k_longest_span_ns;
    const PassResult result = m_core.backend().run(now_planned, at_most, start_ns, not_beyond_ns);
    check(result, at_most);
    logSpan(result, start_ns, start_ps);
    if (now_planned.first) m_core.sampleMemory();
    endRows(result);
    endAtLimit();
    return m_running > 0;
}

void BatchRunner::check(const PassResult& result, std::uint32_t at_most) const
{
    if (result.steps < 1 || result.steps > at_most)
        throw BackendError(fmt::format("the backend ran {} passes of batch {}, expected 1 to {}",
                                       result.steps, m_batch, at_most));
    const std::size_t durations = m_core.isVirtual() ? 0 : result.steps;
    if (result.durations_ns.size() != durations)
        throw BackendError(fmt::format("the backend gave {} durations for {} passes of batch {}, expected {}",
                                       result.durations_ns.size(), result.steps, m_batch, durations));
    for (const RowOutcome& outcome : result.ended)
        if (outcome.row >= m_rows.size() || m_rows[outcome.row].ended)
            throw BackendError(fmt::format("the backend ended row {} of batch {}, which does not run",
                                           outcome.row, m_batch));
}

void BatchRunner::logSpan(const PassResult& result, Nanos start_ns, Picos start_ps)
{
    Steps span;
    span.batch = m_batch;
    span.first_step = m_steps + 1;
    span.count = result.steps;
    span.start_ns = start_ns;
    if (m_core.isVirtual()) {
        span.start_ps = start_ps;
        span.first_ps = result.first_ps;
        span.growth_ps = result.growth_ps;
        m_core.advancePs(spanPs(result.first_ps, result.growth_ps, result.steps));
    } else {
        span.durations_ns = result.durations_ns;
    }
    if (m_steps == 0)
        for (const Row& row : m_rows)
            span.reads.push_back(
                {row.start.slot, row.start.held_prefill ? 0 : row.start.prompt_tokens, true});
    m_steps += result.steps;
    const Nanos end_ns = stepEndNs(span, result.steps - 1);
    m_core.emitAt(end_ns, std::move(span));
    for (std::size_t i = 0; i < result.new_ids.size() && i < m_rows.size(); ++i)
        if (!result.new_ids[i].empty())
            m_core.sink().appendTokens(m_rows[i].start.request, m_rows[i].start.attempt, result.new_ids[i]);
}

void BatchRunner::endRows(const PassResult& result)
{
    std::vector<RowOutcome> ended = result.ended;
    std::sort(ended.begin(), ended.end(),
              [](const RowOutcome& a, const RowOutcome& b) { return a.row < b.row; });
    for (const RowOutcome& outcome : ended)
        endRow(outcome.row, outcome.cause, outcome.output_tokens);
}

// The predicted limit: FCR collects the row. A row at its cap was ended by the backend.
void BatchRunner::endAtLimit()
{
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const RowStart& start = m_rows[i].start;
        if (m_rows[i].ended || m_steps < static_cast<std::uint32_t>(start.limit_steps)) continue;
        if (start.limit_is_cap)
            throw BackendError(fmt::format("the backend ran request {} to {} tokens and did not end it there",
                                           start.request, start.limit_steps));
        endRow(i, RowEnd::Limit, start.limit_steps);
        m_core.emit(AttemptAbandoned{start.request, start.attempt, m_batch, start.limit_steps});
        m_stopped.push_back(start.request);
    }
}

void BatchRunner::endRow(std::size_t row, RowEnd cause, int output_tokens)
{
    const RowStart& start = m_rows[row].start;
    m_rows[row].ended = true;
    --m_running;
    m_core.emit(RowEnded{m_batch, start.slot, start.request, start.attempt, cause, output_tokens, m_steps});
}

void BatchRunner::close()
{
    m_core.sampleMemory();
    m_core.emit(BatchEnded{m_batch, m_steps});
    m_closed = true;
    for (const Row& row : m_rows)
        m_core.backend().release(row.slot);
    m_core.sampleMemory();
}

// After a stop or an error every row still running ends with the tokens it has: one a pass. The slots
// themselves go with the backend's reset.
void BatchRunner::closeEarly(RowEnd cause)
{
    if (m_closed) return;
    for (std::size_t i = 0; i < m_rows.size(); ++i)
        if (!m_rows[i].ended) endRow(i, cause, static_cast<int>(m_steps));
    m_core.emit(BatchEnded{m_batch, m_steps});
}

} // namespace

std::vector<RequestIndex> runBatch(LoopCore& core, const BatchSpec& spec)
{
    return BatchRunner(core, spec).run();
}

} // namespace batchscope
