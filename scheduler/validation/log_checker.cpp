// SPDX-License-Identifier: GPL-3.0-or-later
// The frame: order of events, requests, decisions. Batches and rows are in batch_checks.cpp.
#include "scheduler/validation/log_checker.h"

#include <algorithm>
#include <fmt/core.h>

namespace batchscope {

void LogChecker::take(const Event& event)
{
    if (event.at_ns < m_at_ns)
        fault(fmt::format("time runs backwards: {} ns after {} ns", event.at_ns, m_at_ns));
    m_at_ns = std::max(m_at_ns, event.at_ns);
    if (m_ended) fault(fmt::format("{} after run-ended", eventName(event.body)));
    if (!m_started && !std::holds_alternative<RunStarted>(event.body))
        fault(fmt::format("{} before run-started", eventName(event.body)));
    std::visit([this](const auto& body) { on(body); }, event.body);
    ++m_position;
}

std::vector<std::string> LogChecker::finish()
{
    if (!m_started) m_faults.emplace_back("the log has no run-started");
    if (!m_ended) m_faults.emplace_back("the log does not end with run-ended");
    return std::move(m_faults);
}

void LogChecker::fault(const std::string& text)
{
    m_faults.push_back(fmt::format("event {}: {}", m_position, text));
}

LogChecker::RequestState* LogChecker::known(RequestIndex request)
{
    if (request < m_requests.size() && m_requests[request].arrived) return &m_requests[request];
    fault(fmt::format("request {} has not arrived", request));
    return nullptr;
}

void LogChecker::on(const RunStarted& event)
{
    if (m_started) return fault("the run started twice");
    m_started = event;
    m_requests.resize(event.requests);
}

void LogChecker::on(const Arrived& event)
{
    if (event.request >= m_requests.size())
        return fault(
            fmt::format("request {} arrived in a run of {} requests", event.request, m_requests.size()));
    RequestState& state = m_requests[event.request];
    if (state.arrived) return fault(fmt::format("request {} arrived twice", event.request));
    if (event.arrival_ns > m_at_ns)
        fault(fmt::format("request {} was taken in at {} ns, before it arrived at {} ns", event.request,
                          m_at_ns, event.arrival_ns));
    state.arrived = true;
    state.arrival_ns = event.arrival_ns;
    state.prompt_tokens = event.prompt_tokens;
}

void LogChecker::on(const Predicted& event)
{
    RequestState* state = known(event.request);
    if (state == nullptr) return;
    if (event.elapsed_ns < 0)
        fault(fmt::format("predicting request {} took {} ns", event.request, event.elapsed_ns));
    if (event.tokens && *event.tokens < 1)
        fault(fmt::format("request {} is predicted to have {} tokens, expected at least 1", event.request,
                          *event.tokens));
    state->predicted = true;
}

void LogChecker::on(const Picked& event)
{
    RequestState* state = known(event.request);
    if (state == nullptr) return;
    if (state->delivered) fault(fmt::format("request {} was picked after it had ended", event.request));
    if (state->running) fault(fmt::format("request {} was picked while it runs", event.request));
    if (state->picked) fault(fmt::format("request {} was picked twice for one batch", event.request));
    if (event.waited_ns != m_at_ns - state->arrival_ns - state->ran_ns)
        fault(
            fmt::format("request {} is said to have waited {} ns, and {} ns have passed since it arrived, of "
                        "which it ran {} ns",
                        event.request, event.waited_ns, m_at_ns - state->arrival_ns, state->ran_ns));
    if ((event.passed_over > 0) != event.first_passed.has_value())
        fault(fmt::format("request {} passed over {} others, and {} of them is named", event.request,
                          event.passed_over, event.first_passed ? "one" : "none"));
    state->picked = true;
    state->picked_for = event.batch;
}

void LogChecker::on(const AttemptAbandoned& event)
{
    RequestState* state = known(event.request);
    if (state == nullptr) return;
    if (!state->stopped_by_limit || event.attempt + 1 != state->attempts)
        return fault(
            fmt::format("attempt {} of request {} was abandoned, and no predicted limit had stopped it",
                        event.attempt, event.request));
    if (event.tokens != state->last_tokens)
        fault(fmt::format("request {} abandoned {} tokens of an attempt that had {}", event.request,
                          event.tokens, state->last_tokens));
    state->stopped_by_limit = false;
    state->owes_attempt = true;
}

void LogChecker::on(const Promoted& event)
{
    if (known(event.request) != nullptr && event.waited_ns < event.bound_ns)
        fault(fmt::format("request {} was promoted after {} ns, before its bound of {} ns", event.request,
                          event.waited_ns, event.bound_ns));
}

void LogChecker::on(const MemorySample& event)
{
    if (event.weights_bytes < 0 || event.kv_allocated_bytes < 0 || event.kv_used_bytes < 0)
        fault("a memory sample is negative");
    if (event.kv_used_bytes > event.kv_allocated_bytes)
        fault(fmt::format("{} bytes of KV cache are used of {} allocated", event.kv_used_bytes,
                          event.kv_allocated_bytes));
}

void LogChecker::on(const RunPaused&)
{
    if (m_paused) fault("the run was paused twice");
    m_paused = true;
}

void LogChecker::on(const RunContinued&)
{
    if (!m_paused) fault("the run continued without having been paused");
    m_paused = false;
}

void LogChecker::on(const RunEnded& event)
{
    m_ended = event.status;
    if (event.status == RunStatus::Completed) checkCompleted();
}

// A run that was cancelled, failed or interrupted may leave requests and batches open.
void LogChecker::checkCompleted()
{
    for (RequestIndex i = 0; i < m_requests.size(); ++i) {
        const RequestState& state = m_requests[i];
        if (!state.arrived)
            fault(fmt::format("request {} never arrived", i));
        else if (state.owes_attempt)
            fault(fmt::format("request {}: its abandoned attempt was not followed by another", i));
        else if (!state.delivered)
            fault(fmt::format("request {} never ended", i));
    }
    for (const auto& [batch, state] : m_batches)
        fault(fmt::format("batch {} never ended", batch));
}

} // namespace batchscope
