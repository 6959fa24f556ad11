// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/loop/loop_core.h"

#include "scheduler/batching/bins.h"
#include "scheduler/error.h"
#include "scheduler/loop/admission_check.h"

#include <algorithm>
#include <fmt/core.h>
#include <utility>

namespace batchscope {
namespace {

constexpr Nanos k_idle_slice_ns = 20'000'000; // how often a waiting run looks whether it was paused

} // namespace

LoopCore::LoopCore(const LoopInputs& inputs, LengthPredictor* predictor, const BatchingMode& mode,
                   std::unique_ptr<Ordering> ordering, const WorkExtent& extent, EventSink& sink,
                   RunControl& control, std::stop_token stop)
    : m_workload(*inputs.workload), m_extent(extent),
      m_holdable_tokens(holdableTokens(mode.heaviest(extent), extent)),
      m_context(inputs.backend->capabilities().context), m_predicts_on_entry(mode.predictsOnEntry()),
      m_backend(*inputs.backend), m_predictor(predictor), m_ordering(std::move(ordering)),
      m_clock(*inputs.clock), m_sink(sink), m_writer(sink), m_control(control), m_stop(std::move(stop)),
      m_arrivals(m_workload), m_waiting(m_workload), m_served(m_workload.requests.size())
{}

int LoopCore::maxNewTokens(const Request& request) const
{
    return m_context > 0 ? std::min(m_extent.cap, m_context - request.prompt_tokens) : m_extent.cap;
}

// A measured pass may end a few nanoseconds after the clock was read: the log's time is never behind its last
// event.
Nanos LoopCore::now() const
{
    return std::max(m_clock.now(), m_writer.lastNs());
}

void LoopCore::sampleMemory()
{
    const MemoryUse use = m_backend.memory();
    if (use.weights_bytes == m_last_memory.weights_bytes &&
        use.kv_allocated_bytes == m_last_memory.kv_allocated_bytes &&
        use.kv_used_bytes == m_last_memory.kv_used_bytes)
        return;
    m_last_memory = use;
    emit(MemorySample{use.weights_bytes, use.kv_allocated_bytes, use.kv_used_bytes});
}

void LoopCore::waitPaused(bool spends_step)
{
    m_control.waitWhilePaused(
        m_clock, m_stop,
        [this] {
            emit(RunPaused{});
            flush();
        },
        [this] { emit(RunContinued{}); }, spends_step);
    if (m_stop.stop_requested()) throw RunStopped{};
}

void LoopCore::checkpoint()
{
    m_writer.flushIfDue();
    waitPaused(true);
}

void LoopCore::absorb()
{
    const std::vector<RequestIndex> arrived = m_arrivals.takeUpTo(now());
    if (arrived.empty()) return;
    const Nanos at_ns = now();
    for (const RequestIndex index : arrived)
        emitAt(at_ns, Arrived{index, request(index).arrival_ns, request(index).prompt_tokens});
    if (m_predicts_on_entry) predict(arrived);
    for (const RequestIndex index : arrived) {
        const Nanos arrival_ns = request(index).arrival_ns;
        if (!m_predicts_on_entry)
            m_served[index].key = toSeconds(arrival_ns); // nothing is known yet but the arrival
        m_waiting.enter({m_served[index].key, arrival_ns, index});
    }
}

void LoopCore::waitForMore(Nanos deadline_ns)
{
    const Nanos until = m_arrivals.pending() && (m_waiting.empty() || m_arrivals.nextNs() < deadline_ns)
                            ? m_arrivals.nextNs()
                            : deadline_ns;
    flush();
    waitPaused(false);
    while (m_clock.now() < until) {
        const Nanos slice = isVirtual() ? until : std::min(until, m_clock.now() + k_idle_slice_ns);
        m_clock.waitUntil(slice, m_stop);
        waitPaused(false);
    }
}

void LoopCore::predict(std::span<const RequestIndex> requests)
{
    if (m_predictor != nullptr && !requests.empty()) {
        std::vector<const Request*> asked;
        for (const RequestIndex index : requests)
            asked.push_back(&request(index));
        flush();
        const PredictionCall call = m_predictor->predict(asked);
        if (call.predictions.size() != requests.size())
            throw SchedulerError(fmt::format("the predictor answered for {} requests of {}",
                                             call.predictions.size(), requests.size()));
        advancePs(call.elapsed_ns * k_picos_per_nano);
        const Nanos at_ns = now();
        const auto count = static_cast<Nanos>(requests.size());
        for (std::size_t i = 0; i < requests.size(); ++i) {
            const Prediction& made = call.predictions[i];
            m_served[requests[i]].predicted_tokens = made.tokens;
            const bool held = made.held && keepsHeld(requests[i], *made.held);
            const auto spare =
                static_cast<std::size_t>(call.elapsed_ns % count); // one ns each for the first ones
            const Nanos share = call.elapsed_ns / count + (i < spare ? 1 : 0);
            emitAt(at_ns, Predicted{requests[i], m_predictor->kind(), made.tokens, made.upper_bound,
                                    made.score, share, held, made.failed || (!made.tokens && !made.score)});
        }
    }
    for (const RequestIndex index : requests)
        setKey(index);
}

// Held prefills may take what the heaviest batch leaves of the KV budget; beyond it a prompt is read again.
bool LoopCore::keepsHeld(RequestIndex request_index, SlotHandle held)
{
    const int prompt_tokens = request(request_index).prompt_tokens;
    if (m_holdable_tokens && m_held_tokens + prompt_tokens > *m_holdable_tokens) {
        m_backend.release(held);
        return false;
    }
    m_held_tokens += prompt_tokens;
    m_served[request_index].held = held;
    return true;
}

std::optional<SlotHandle> LoopCore::takeHeld(RequestIndex request_index)
{
    std::optional<SlotHandle> held = std::exchange(m_served[request_index].held, std::nullopt);
    if (held) m_held_tokens -= request(request_index).prompt_tokens;
    return held;
}

int LoopCore::predictedOrCap(RequestIndex request_index) const
{
    return clampPrediction(m_served[request_index].predicted_tokens.value_or(m_extent.cap), m_extent.cap);
}

void LoopCore::setKey(RequestIndex request_index)
{
    m_served[request_index].key = m_ordering->key(request(request_index), predictedOrCap(request_index));
}

} // namespace batchscope
