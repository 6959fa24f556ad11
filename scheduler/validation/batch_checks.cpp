// SPDX-License-Identifier: GPL-3.0-or-later
// The log's batches: slots, spans of passes, rows and their tokens.
#include "scheduler/validation/log_checker.h"

#include <algorithm>
#include <fmt/core.h>

namespace batchscope {

LogChecker::BatchState* LogChecker::live(BatchIndex batch)
{
    const auto found = m_batches.find(batch);
    if (found != m_batches.end()) return &found->second;
    fault(fmt::format("batch {} {}", batch, batch < m_next_batch ? "has ended" : "has not formed"));
    return nullptr;
}

LogChecker::RowState* LogChecker::resident(BatchIndex batch, std::uint32_t slot, RequestIndex request)
{
    BatchState* state = live(batch);
    if (state == nullptr) return nullptr;
    const auto row = state->rows.find(slot);
    if (row != state->rows.end() && row->second.start.request == request) return &row->second;
    fault(fmt::format("request {} is not in slot {} of batch {}", request, slot, batch));
    return nullptr;
}

void LogChecker::on(const BatchFormed& event)
{
    const bool joins = event.kind == BatchKind::Continuous && m_batches.count(event.batch) > 0;
    if (!joins) {
        if (event.batch != m_next_batch)
            fault(fmt::format("batch {} formed, expected batch {}", event.batch, m_next_batch));
        m_next_batch = std::max(m_next_batch, event.batch + 1);
    }
    if (event.rows.empty()) fault(fmt::format("batch {} formed without rows", event.batch));
    BatchState& state = m_batches[event.batch];
    if (!joins) state.last_end_ns = m_at_ns;
    state.kind = event.kind;
    state.padded_prompt_tokens = event.padded_prompt_tokens;
    for (const RowStart& row : event.rows)
        addRow(event.batch, state, row);
}

void LogChecker::addRow(BatchIndex batch, BatchState& state, const RowStart& row)
{
    if (m_started && row.slot >= m_started->slot_count)
        fault(
            fmt::format("slot {} of batch {} in a run of {} slots", row.slot, batch, m_started->slot_count));
    for (const auto& [other, other_state] : m_batches)
        if (other_state.rows.count(row.slot) > 0)
            fault(fmt::format("slot {} is used twice at a time: by batch {} and batch {}", row.slot, other,
                              batch));
    if (state.padded_prompt_tokens > 0 && row.prompt_tokens > state.padded_prompt_tokens)
        fault(fmt::format("request {}: a prompt of {} tokens in batch {}, padded to {}", row.request,
                          row.prompt_tokens, batch, state.padded_prompt_tokens));
    if (row.limit_steps < 1)
        fault(fmt::format("request {} may take {} passes in batch {}, expected at least 1", row.request,
                          row.limit_steps, batch));
    state.rows[row.slot] = {row, row.resumed_tokens > 0, false, 0, row.resumed_tokens, m_at_ns};
    RequestState* request = known(row.request);
    if (request == nullptr) return;
    if (!request->picked || request->picked_for != batch)
        fault(fmt::format("request {} is in batch {} and was not picked for it", row.request, batch));
    if (request->running) fault(fmt::format("request {} runs twice at a time", row.request));
    if (request->delivered) fault(fmt::format("request {} runs again after it had ended", row.request));
    if (row.prompt_tokens != request->prompt_tokens)
        fault(fmt::format("request {} arrived with {} prompt tokens and runs with {}", row.request,
                          request->prompt_tokens, row.prompt_tokens));
    const bool resumes = row.resumed_tokens > 0; // the same attempt goes on
    const int attempt = resumes ? request->attempts - 1 : request->attempts;
    if (row.attempt != attempt)
        fault(fmt::format("request {} starts attempt {} in batch {}, expected {}", row.request, row.attempt,
                          batch, attempt));
    if (request->stopped_by_limit && !resumes)
        fault(fmt::format("request {} runs again, and its stopped attempt was not abandoned", row.request));
    request->attempts = static_cast<std::uint16_t>(row.attempt + 1);
    request->picked = request->owes_attempt = request->stopped_by_limit = false;
    request->running = true;
}

void LogChecker::on(const Steps& event)
{
    BatchState* batch = live(event.batch);
    if (batch == nullptr) return;
    if (m_paused) fault(fmt::format("batch {} runs while the run is paused", event.batch));
    if (event.count < 1) return fault(fmt::format("a span of batch {} has no pass", event.batch));
    if (event.first_step != batch->steps + 1)
        fault(fmt::format("a span of batch {} starts at pass {}, expected {}", event.batch, event.first_step,
                          batch->steps + 1));
    checkSpanTimes(event, *batch);
    const bool works = std::any_of(batch->rows.begin(), batch->rows.end(),
                                   [](const auto& row) { return !row.second.ended; });
    if (!works) fault(fmt::format("batch {} runs on though all its rows have ended", event.batch));
    readPrompts(event, *batch);
    advanceRows(event, *batch);
    batch->steps = event.first_step + event.count - 1;
    batch->last_end_ns = m_last_span_end_ns = m_at_ns;
}

void LogChecker::checkSpanTimes(const Steps& span, const BatchState& batch)
{
    const bool measured = m_started && m_started->measured;
    const std::size_t durations = measured ? span.count : 0;
    if (span.durations_ns.size() != durations)
        return fault(fmt::format("a span of {} passes of batch {} has {} durations, expected {}", span.count,
                                 span.batch, span.durations_ns.size(), durations));
    const bool negative = std::any_of(span.durations_ns.begin(), span.durations_ns.end(),
                                      [](Nanos duration) { return duration < 0; });
    const Picos last_ps = span.first_ps + span.growth_ps * (static_cast<Picos>(span.count) - 1);
    if (negative || span.first_ps < 0 || last_ps < 0)
        fault(fmt::format("a pass of batch {} takes less than no time", span.batch));
    if (!measured && span.start_ns != span.start_ps / k_picos_per_nano)
        fault(fmt::format("a span of batch {} starts at {} ns and at {} ps", span.batch, span.start_ns,
                          span.start_ps));
    if (span.start_ns < std::max(batch.last_end_ns, m_last_span_end_ns))
        fault(fmt::format("a span of batch {} starts at {} ns and overlaps what ended at {} ns", span.batch,
                          span.start_ns, std::max(batch.last_end_ns, m_last_span_end_ns)));
    const Nanos end_ns = stepEndNs(span, span.count - 1);
    if (end_ns != m_at_ns)
        fault(fmt::format("a span of batch {} ends at {} ns and is logged at {} ns", span.batch, end_ns,
                          m_at_ns));
}

void LogChecker::readPrompts(const Steps& span, BatchState& batch)
{
    for (const PromptRead& read : span.reads) {
        const auto row = batch.rows.find(read.slot);
        if (row == batch.rows.end()) {
            fault(fmt::format("batch {} reads a prompt in slot {}, which is empty", span.batch, read.slot));
            continue;
        }
        RowState& state = row->second;
        // A recomputed row reads what it had generated behind its prompt.
        const int whole =
            state.start.held_prefill ? 0 : state.start.prompt_tokens + state.start.resumed_tokens;
        const int left = whole - state.read_tokens;
        const bool is_part = batch.kind == BatchKind::Continuous && read.tokens > 0 && read.tokens <= left;
        if (read.completes ? read.tokens != left : !is_part)
            fault(fmt::format("request {} reads {} prompt tokens in batch {}, expected {}",
                              state.start.request, read.tokens, span.batch, left));
        if (state.read)
            fault(fmt::format("request {} reads its prompt twice in batch {}", state.start.request,
                              span.batch));
        state.read_tokens += read.tokens;
        state.read = read.completes;
    }
}

void LogChecker::advanceRows(const Steps& span, BatchState& batch)
{
    for (auto& [slot, row] : batch.rows) {
        if (row.ended) continue;
        const bool stalls = std::count(span.stalled.begin(), span.stalled.end(), slot) > 0;
        if (row.read) {
            if (!stalls) row.yielded += static_cast<int>(span.count);
        } else if (!stalls && batch.kind != BatchKind::Continuous) {
            fault(fmt::format("request {} runs in batch {} without having read its prompt", row.start.request,
                              span.batch));
        }
        if (row.yielded > row.start.limit_steps)
            fault(fmt::format("request {} took {} passes in batch {}, its limit is {}", row.start.request,
                              row.yielded, span.batch, row.start.limit_steps));
    }
}

void LogChecker::on(const RowEnded& event)
{
    RowState* row = resident(event.batch, event.slot, event.request);
    if (row == nullptr) return;
    if (row->ended)
        return fault(fmt::format("row ended twice: request {}, batch {}", event.request, event.batch));
    if (event.attempt != row->start.attempt)
        fault(fmt::format("attempt {} of request {} ended in batch {}, where attempt {} runs", event.attempt,
                          event.request, event.batch, row->start.attempt));
    BatchState& batch = m_batches[event.batch];
    if (event.step != batch.steps)
        fault(fmt::format("request {} ended at pass {} of batch {}, which has run {}", event.request,
                          event.step, event.batch, batch.steps));
    checkRowEnd(event, *row);
    row->ended = true;
    if (RequestState* request = known(event.request)) {
        request->running = false;
        request->last_tokens = event.output_tokens;
        request->stopped_by_limit = event.cause == RowEnd::Limit;
        request->delivered = event.cause != RowEnd::Limit;
    }
    if (batch.kind == BatchKind::Continuous) batch.rows.erase(event.slot); // the slot is free at once
}

void LogChecker::checkRowEnd(const RowEnded& event, const RowState& row)
{
    const bool unfinished = event.cause == RowEnd::Failed || event.cause == RowEnd::Cancelled;
    const int tokens = row.yielded - (spendsEndStep(event.cause) ? 1 : 0);
    const bool possible = unfinished ? event.output_tokens >= 0 && event.output_tokens <= row.yielded
                                     : event.output_tokens == tokens;
    if (!possible)
        fault(fmt::format("request {} ended by {} with {} tokens after {} passes in batch {}, expected {}",
                          event.request, rowEndName(event.cause), event.output_tokens, row.yielded,
                          event.batch, tokens));
    const bool at_limit = event.cause == RowEnd::Limit || event.cause == RowEnd::Cap;
    if (at_limit &&
        (row.yielded != row.start.limit_steps || row.start.limit_is_cap != (event.cause == RowEnd::Cap)))
        fault(fmt::format("request {} ended by {} after {} passes in batch {}, its {} is {}", event.request,
                          rowEndName(event.cause), row.yielded, event.batch,
                          row.start.limit_is_cap ? "cap" : "limit", row.start.limit_steps));
}

void LogChecker::on(const BatchEnded& event)
{
    BatchState* batch = live(event.batch);
    if (batch == nullptr) return;
    if (event.steps != batch->steps)
        fault(fmt::format("batch {} is said to have run {} passes, and ran {}", event.batch, event.steps,
                          batch->steps));
    for (const auto& [slot, row] : batch->rows)
        if (!row.ended)
            fault(fmt::format("batch {} ended while request {} runs in slot {}", event.batch,
                              row.start.request, slot));
    m_batches.erase(event.batch);
}

void LogChecker::on(const Preempted& event)
{
    RowState* row = resident(event.batch, event.slot, event.request);
    if (row == nullptr) return;
    if (row->ended) fault(fmt::format("request {} was preempted after its row had ended", event.request));
    if (RequestState* request = known(event.request)) {
        request->running = false;
        request->owes_attempt = true;
        request->ran_ns += m_at_ns - row->joined_ns;
    }
    m_batches[event.batch].rows.erase(event.slot);
}

void LogChecker::on(const Resumed& event)
{
    RequestState* request = known(event.request);
    if (request == nullptr) return;
    if (!request->running)
        return fault(fmt::format("request {} resumed in slot {} of batch {}, where it does not run",
                                 event.request, event.slot, event.batch));
    RowState* row = resident(event.batch, event.slot, event.request);
    if (row != nullptr && event.kept_tokens == 0) row->read = false; // its cache is gone: it reads again
}

} // namespace batchscope
