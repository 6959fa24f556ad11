// SPDX-License-Identifier: GPL-3.0-or-later
// What a continuous batch does between two decisions: how many passes, what each row does in them, who ends.
#include "scheduler/loop/continuous_batch.h"
#include "scheduler/loop/loop_core.h"
#include "scheduler/loop/span_writer.h"

#include <algorithm>
#include <fmt/core.h>
#include <limits>

namespace batchscope {

std::uint32_t ContinuousBatch::mostSteps(LoopCore& core) const
{
    std::int64_t steps = std::numeric_limits<std::int32_t>::max();
    std::int64_t growth = 0;
    for (const Row& row : m_rows) {
        if (row.isReading()) return 1; // what the next pass reads is planned anew
        growth += row.is_reserved ? 0 : 1;
        if (core.waiting().empty()) continue;
        if (m_follows_service)
            if (const auto worse = core.ordering().passesUntilWorse(core.standing(row.start.request)))
                steps = std::min<std::int64_t>(steps, std::max(1, *worse));
        if (!m_rules.demotes) continue;
        const Served& served = core.served(row.start.request);
        if (!row.was_demoted && served.predicted_tokens)
            steps = std::min<std::int64_t>(steps, std::max(1, *served.predicted_tokens + 1 - row.yielded));
    }
    const auto& budget = m_kv_budget_tokens;
    if (budget && growth > 0 && m_rules.preemption != Preemption::None)
        steps = std::min(steps, std::max<std::int64_t>(1, (*budget - m_kv_tokens) / growth));
    return static_cast<std::uint32_t>(steps);
}

// An arrival matters while somebody could be admitted at once, or could take another's place.
Nanos ContinuousBatch::notBeyond(LoopCore& core, Nanos start_ns) const
{
    const Nanos longest = longestSpanEnd(core, start_ns);
    if ((m_free_slots.empty() && !mayEvict(core)) || !core.moreCanArrive()) return longest;
    return std::min(longest, core.nextArrivalNs());
}

// Every row decodes, or reads: whole prompts, or with chunks as much as the budget leaves beside those who
// decode.
void ContinuousBatch::plan()
{
    m_reads.clear();
    m_plan.rows.clear();
    std::int64_t left = std::numeric_limits<std::int32_t>::max();
    if (m_rules.chunked_prefill && m_rules.token_budget)
        left = *m_rules.token_budget -
               std::count_if(m_rows.begin(), m_rows.end(), [](const Row& r) { return !r.isReading(); });
    for (const Row& row : m_rows) {
        if (row.start.held_prefill && row.yielded == 0) {
            m_plan.rows.push_back({row.handle, RowRole::Held, 0});
            m_reads.push_back({row.start.slot, 0, true});
        } else if (row.isReading()) {
            const int tokens = static_cast<int>(std::min<std::int64_t>(row.unread, left));
            left -= tokens;
            m_plan.rows.push_back({row.handle, RowRole::Read, tokens});
            m_reads.push_back({row.start.slot, tokens, tokens == row.unread});
        } else {
            m_plan.rows.push_back({row.handle, RowRole::Decode, 0});
        }
    }
}

void ContinuousBatch::runSpan(LoopCore& core)
{
    const std::uint32_t at_most = mostSteps(core);
    plan();
    m_plan.first = m_steps == 0;
    const SpanStart start{*m_batch, m_steps, core.now(), core.nowPs()};
    PassResult result = core.backend().run(m_plan, at_most, start.start_ns, notBeyond(core, start.start_ns));
    checkResult(core, *m_batch, result, at_most);
    emitSpan(core, start, result, m_reads);
    m_steps += result.steps;
    advance(core, result);
    endRows(core, result.ended);
    core.sampleMemoryCoarsely();
    closeIfEmpty(core);
}

void ContinuousBatch::advance(LoopCore& core, const PassResult& result)
{
    const auto steps = static_cast<int>(result.steps);
    auto read = m_reads.cbegin();
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        Row& row = m_rows[i];
        int tokens = 0;
        const bool reads_now = read != m_reads.cend() && read->slot == row.start.slot;
        if (reads_now) tokens = (read++)->tokens;
        row.unread = row.start.held_prefill && row.yielded == 0 ? 0 : row.unread - tokens;
        Served& served = core.served(row.start.request);
        const int before = row.yielded;
        if (row.unread == 0) row.yielded += steps;
        served.generated_tokens = row.yielded;
        const int growth = row.is_reserved || row.unread > 0 ? 0 : steps;
        row.kv_tokens += growth;
        m_kv_tokens += growth;
        if (m_follows_service)
            core.ordering().served(core.standing(row.start.request), tokens, row.yielded - before);
        if (i < result.new_ids.size() && !result.new_ids[i].empty())
            core.sink().appendTokens(row.start.request, row.start.attempt, result.new_ids[i]);
    }
}

void ContinuousBatch::endRows(LoopCore& core, std::vector<RowOutcome>& ended)
{
    if (ended.empty()) return;
    m_may_form = true;
    m_may_form_since_ns = core.now();
    std::sort(ended.begin(), ended.end(),
              [](const RowOutcome& a, const RowOutcome& b) { return a.row < b.row; });
    for (const RowOutcome& outcome : ended) {
        if (outcome.row >= m_rows.size())
            throw BackendError(fmt::format("the backend ended row {} of {}", outcome.row, m_rows.size()));
        const Row& row = m_rows[outcome.row];
        core.emit(RowEnded{*m_batch, row.start.slot, row.start.request, row.start.attempt, outcome.cause,
                           outcome.output_tokens, m_steps});
        core.backend().release(row.handle);
        m_kv_tokens -= row.kv_tokens;
        m_free_slots.push(row.start.slot);
        core.complete(row.start.request, core.now());
    }
    auto next = ended.begin();
    std::size_t at = 0;
    std::erase_if(m_rows, [&](const Row&) {
        const bool has_ended = next != ended.end() && next->row == at;
        if (has_ended) ++next;
        ++at;
        return has_ended;
    });
}

void ContinuousBatch::closeIfEmpty(LoopCore& core)
{
    if (!m_rows.empty()) return;
    core.emit(BatchEnded{*m_batch, m_steps});
    m_batch.reset();
}

void ContinuousBatch::closeEarly(LoopCore& core, RowEnd cause)
{
    if (!m_batch) return;
    for (const Row& row : m_rows)
        core.emit(RowEnded{*m_batch, row.start.slot, row.start.request, row.start.attempt, cause, row.yielded,
                           m_steps});
    m_rows.clear();
    closeIfEmpty(core);
}

} // namespace batchscope
