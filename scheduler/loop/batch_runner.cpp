// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/loop/batch_runner.h"

#include "scheduler/loop/loop_core.h"
#include "scheduler/loop/span_writer.h"

#include <algorithm>
#include <fmt/core.h>

namespace batchscope {
namespace {

struct Row
{
    RowStart start;
    SlotHandle slot = 0;
    bool ended = false;
    bool is_kept = false;           // stopped by the predicted limit, its KV cache stays for later
    std::uint32_t mostSteps() const // passes of this batch
    {
        return static_cast<std::uint32_t>(start.limit_steps - start.resumed_tokens);
    }
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
    void form();
    void admit();
    int mostNewTokens(const RowStart& start) const;
    std::optional<int> lengthOf(std::size_t row) const;
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
    std::vector<RequestIndex> m_undelivered; // batch-end delivery: ended, held back
};

void BatchRunner::pick()
{
    const Nanos at_ns = m_core.now(); // one decision, one moment
    const std::vector<RequestIndex>& rows = m_spec.rows;
    const auto rule = m_spec.kind == BatchKind::Recompute || m_spec.kind == BatchKind::Extend
                          ? std::optional(PickRule::Recompute)
                          : std::nullopt;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto runner_up = i + 1 < rows.size() ? std::optional(rows[i + 1]) : m_spec.runner_up;
        m_core.emitAt(at_ns, m_core.explainPick(rows[i], m_batch, at_ns, runner_up, rule));
    }
}

void BatchRunner::form()
{
    for (const RequestIndex index : m_spec.rows) {
        const Request& request = m_core.request(index);
        const int most = m_core.maxNewTokens(request);
        Row row;
        row.start.slot = static_cast<std::uint32_t>(m_rows.size());
        row.start.request = index;
        row.start.prompt_tokens = request.prompt_tokens;
        if (m_spec.kind == BatchKind::Extend) {
            row.start.resumed_tokens = m_core.served(index).generated_tokens;
            row.start.attempt = static_cast<std::uint16_t>(m_core.served(index).attempts - 1);
        } else {
            row.start.attempt = m_core.served(index).attempts++;
        }
        const int context = m_core.capabilities().context;
        const int bound = !m_spec.passes_cap ? most
                          : context > 0      ? context - request.prompt_tokens
                                             : m_spec.limit_steps;
        row.start.limit_steps = std::min(m_spec.limit_steps, bound);
        row.start.limit_is_cap = row.start.limit_steps >= most && !m_spec.stops_at_cap;
        row.start.held_prefill = m_core.served(index).held.has_value();
        m_padded_prompt_tokens =
            std::max(m_padded_prompt_tokens, request.prompt_tokens + row.start.resumed_tokens);
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
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        Row& row = m_rows[i];
        if (row.start.resumed_tokens > 0) {
            row.slot = m_core.takeSuspended(row.start.request);
            continue;
        }
        const Request& request = m_core.request(row.start.request);
        Admission admission;
        admission.request = &request;
        admission.max_new_tokens = mostNewTokens(row.start);
        if (workload.lengths != LengthMode::Free) admission.forced_length = lengthOf(i);
        admission.sampling = workload.sampling;
        row.slot = m_core.backend().admit(admission, m_core.takeHeld(row.start.request));
    }
}

// More than the row may take where the limit has to stop it, not the backend.
int BatchRunner::mostNewTokens(const RowStart& start) const
{
    const int most = m_core.maxNewTokens(m_core.request(start.request));
    return std::max(most, start.limit_is_cap ? start.limit_steps : start.limit_steps + 1);
}

// An answer that was cut at the cap when it was recorded has no known end, and none within a limit beyond it.
std::optional<int> BatchRunner::lengthOf(std::size_t row) const
{
    const RowStart& start = m_rows[row].start;
    const RequestIndex answers = m_spec.answers_of.empty() ? start.request : m_spec.answers_of[row];
    const std::optional<int> length = m_core.request(answers).output_tokens;
    const int most = m_core.maxNewTokens(m_core.request(start.request));
    return length && *length >= most ? std::max(*length, mostNewTokens(start)) : length;
}

Plan BatchRunner::plan() const
{
    Plan plan;
    plan.first = m_steps == 0;
    plan.padded_prompt_tokens = m_padded_prompt_tokens;
    for (const Row& row : m_rows) {
        plan.limit_steps = std::max(plan.limit_steps, static_cast<int>(row.mostSteps()));
        if (m_steps > 0 || row.start.resumed_tokens > 0)
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
    const PassResult result =
        m_core.backend().run(now_planned, at_most, start_ns, longestSpanEnd(m_core, start_ns));
    check(result, at_most);
    logSpan(result, start_ns, start_ps);
    if (now_planned.first) m_core.sampleMemory();
    endRows(result);
    endAtLimit();
    return m_running > 0;
}

void BatchRunner::check(const PassResult& result, std::uint32_t at_most) const
{
    checkResult(m_core, m_batch, result, at_most);
    for (const RowOutcome& outcome : result.ended)
        if (outcome.row >= m_rows.size() || m_rows[outcome.row].ended)
            throw BackendError(fmt::format("the backend ended row {} of batch {}, which does not run",
                                           outcome.row, m_batch));
}

void BatchRunner::logSpan(const PassResult& result, Nanos start_ns, Picos start_ps)
{
    std::vector<PromptRead> reads;
    if (m_steps == 0)
        for (const Row& row : m_rows)
            if (row.start.resumed_tokens == 0)
                reads.push_back({row.start.slot, row.start.held_prefill ? 0 : row.start.prompt_tokens, true});
    emitSpan(m_core, {m_batch, m_steps, start_ns, start_ps}, result, reads);
    m_steps += result.steps;
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
        if (m_rows[i].ended || m_steps < m_rows[i].mostSteps()) continue;
        if (start.limit_is_cap)
            throw BackendError(fmt::format("the backend ran request {} to {} tokens and did not end it there",
                                           start.request, start.limit_steps));
        endRow(i, RowEnd::Limit, start.limit_steps);
        m_rows[i].is_kept =
            m_spec.keeps_stopped && m_core.keepSuspended(start.request, m_rows[i].slot, start.limit_steps);
        if (!m_rows[i].is_kept)
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
    m_core.ordering().served(m_core.standing(start.request), start.prompt_tokens, output_tokens);
    if (!isAnswered(cause)) return;
    if (m_core.delivery() == Delivery::Streamed)
        m_core.complete(start.request, m_core.now());
    else
        m_undelivered.push_back(start.request);
}

void BatchRunner::close()
{
    m_core.sampleMemory();
    m_core.emit(BatchEnded{m_batch, m_steps});
    m_closed = true;
    for (const RequestIndex request : m_undelivered)
        m_core.complete(request, m_core.now());
    for (const Row& row : m_rows)
        if (!row.is_kept) m_core.backend().release(row.slot);
    m_core.sampleMemory();
}

// After a stop or an error every row still running ends with the tokens it has: one a pass. The slots
// themselves go with the backend's reset.
void BatchRunner::closeEarly(RowEnd cause)
{
    if (m_closed) return;
    for (std::size_t i = 0; i < m_rows.size(); ++i)
        if (!m_rows[i].ended) endRow(i, cause, m_rows[i].start.resumed_tokens + static_cast<int>(m_steps));
    m_core.emit(BatchEnded{m_batch, m_steps});
}

} // namespace

std::vector<RequestIndex> runBatch(LoopCore& core, const BatchSpec& spec)
{
    return BatchRunner(core, spec).run();
}

} // namespace batchscope
