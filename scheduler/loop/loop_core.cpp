// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/loop/loop_core.h"

#include "scheduler/error.h"
#include "scheduler/loop/admission_check.h"
#include "scheduler/parts/compat.h"

#include <algorithm>
#include <fmt/core.h>
#include <utility>

namespace batchscope {
namespace {

constexpr Nanos k_idle_slice_ns = 20'000'000; // how often a waiting run looks whether it was paused

std::unique_ptr<WaitingOrder> orderByArrival()
{
    class ByArrival final : public WaitingOrder
    {
    public:
        void enter(const Standing& standing, Nanos) override
        {
            m_heap.enter({toSeconds(standing.arrival_ns), standing.arrival_ns, standing.request});
        }
        void leave(RequestIndex request) override { m_heap.leave(request); }
        std::optional<OrderKey> first(Nanos) override { return m_heap.first(); }

    private:
        KeyHeap m_heap;
    };
    return std::make_unique<ByArrival>();
}

} // namespace

LoopCore::LoopCore(const LoopInputs& inputs, const LoopSetup& setup, EventSink& sink, RunControl& control,
                   std::stop_token stop)
    : m_workload(*inputs.workload), m_extent(setup.extent),
      m_holdable_tokens(holdableTokens(setup.mode->heaviest(m_extent), m_extent)),
      m_capabilities(inputs.backend->capabilities()), m_predicts_on_entry(setup.mode->predictsOnEntry()),
      m_work_stands(repeatsQuirk(*inputs.strategy, "J-10")),
      m_ages_by_true_time(repeatsQuirk(*inputs.strategy, "J-11")), m_backend(*inputs.backend),
      m_predictor(setup.predictor), m_ordering(*setup.ordering), m_delivery(setup.delivery),
      m_clock(*inputs.clock), m_sink(sink), m_writer(sink), m_control(control), m_stop(std::move(stop)),
      m_arrivals(m_workload),
      // Where nothing is known on entry the queue is in order of arrival, and groups are taken from it.
      m_waiting(m_workload.requests.size(), m_predicts_on_entry ? m_ordering.makeOrder() : orderByArrival(),
                m_predicts_on_entry ? setup.ageing : Ageing{}),
      m_served(m_workload.requests.size())
{}

int LoopCore::maxNewTokens(const Request& request) const
{
    const int context = m_capabilities.context;
    return context > 0 ? std::min(m_extent.cap, context - request.prompt_tokens) : m_extent.cap;
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

void LoopCore::sampleMemoryCoarsely()
{
    const MemoryUse use = m_backend.memory();
    m_most_kv_bytes = std::max(m_most_kv_bytes, use.kv_allocated_bytes);
    const auto moved = [this](std::int64_t now, std::int64_t before) {
        return std::abs(now - before) * 64 > m_most_kv_bytes;
    };
    if (moved(use.kv_allocated_bytes, m_last_memory.kv_allocated_bytes) ||
        moved(use.kv_used_bytes, m_last_memory.kv_used_bytes))
        sampleMemory();
}

void LoopCore::waitPaused(bool spends_step)
{
    if (!m_control.isPaused()) {
        if (m_stop.stop_requested()) throw RunStopped{};
        return;
    }
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
    constexpr std::uint32_t k_simulated = 16; // decisions that take a few microseconds together
    if (!isVirtual() || m_decisions++ % k_simulated == 0) m_writer.flushIfDue();
    waitPaused(true);
}

void LoopCore::absorb()
{
    if (!m_arrivals.pending() || m_arrivals.nextNs() > now()) return;
    const Nanos at_ns = now();
    std::vector<RequestIndex> arrived;
    for (const Arrival& arrival : m_arrivals.takeUpTo(at_ns)) {
        arrived.push_back(arrival.request);
        m_served[arrival.request].arrival_ns = arrival.at_ns;
        emitAt(at_ns, Arrived{arrival.request, arrival.at_ns, request(arrival.request).prompt_tokens});
    }
    if (m_predicts_on_entry) predict(arrived);
    for (const RequestIndex index : arrived)
        enterWaiting(index);
}

void LoopCore::promoteAged()
{
    const Nanos at_ns = now();
    for (const WaitingQueue::Promotion& promotion : m_waiting.promote(at_ns))
        emitAt(at_ns, Promoted{promotion.request, promotion.waited_ns, promotion.bound_ns});
}

std::optional<RequestIndex> LoopCore::firstWaiting()
{
    const std::optional<WaitingQueue::Place> first = m_waiting.first(now());
    if (!first) return std::nullopt;
    const RequestIndex index = first->order.request;
    Served& served = m_served[index];
    served.is_aged = first->is_aged;
    served.key = first->is_aged ? m_ordering.key(standing(index), now()) : first->order.key;
    return index;
}

std::vector<RequestIndex> LoopCore::takeFirst(std::size_t count)
{
    promoteAged();
    std::vector<RequestIndex> taken;
    while (taken.size() < count) {
        const std::optional<RequestIndex> first = firstWaiting();
        if (!first) break;
        m_waiting.take(*first);
        taken.push_back(*first);
    }
    return taken;
}

PickRule LoopCore::ruleOf(RequestIndex picked, std::optional<RequestIndex> runner_up, bool others_wait) const
{
    const Served& best = m_served[picked];
    if (best.is_aged) return PickRule::Aged;
    if (!runner_up)
        return others_wait ? PickRule::Arrival : PickRule::OnlyOne; // a group's last: the others came later
    const Served& next = m_served[*runner_up];
    if (best.bin != next.bin) return PickRule::Bin;
    const bool is_tie = m_ordering.strictRule() == PickRule::Arrival ? best.arrival_ns == next.arrival_ns
                                                                     : best.key == next.key;
    return is_tie ? PickRule::Tie : m_ordering.strictRule();
}

Picked LoopCore::explainPick(RequestIndex request, BatchIndex batch, Nanos at_ns,
                             std::optional<RequestIndex> runner_up, std::optional<PickRule> rule)
{
    const WaitingQueue::PassedOver passed = m_waiting.pick(request);
    Picked picked;
    picked.request = request;
    picked.batch = batch;
    picked.key = m_served[request].key;
    picked.waited_ns = at_ns - m_served[request].arrival_ns - m_served[request].ran_ns;
    picked.passed_over = passed.count;
    picked.first_passed = passed.first;
    if (passed.first) picked.first_passed_key = m_ordering.key(standing(*passed.first), at_ns);
    picked.runner_up = runner_up;
    if (runner_up) picked.runner_up_key = m_served[*runner_up].key;
    picked.rule = rule ? *rule : ruleOf(request, runner_up, passed.others_wait);
    return picked;
}

void LoopCore::waitAgain(RequestIndex request)
{
    enterWaiting(request);
}

void LoopCore::enterWaiting(RequestIndex index)
{
    const Standing entering = standing(index);
    std::optional<double> ageing_service_s = entering.service_s;
    if (m_ages_by_true_time)
        if (const auto& length = request(index).output_tokens) {
            const int passes = std::min(*length + 1, maxNewTokens(request(index)));
            if (const auto alone = m_backend.serviceAlone(request(index).prompt_tokens, passes))
                ageing_service_s = toSeconds(*alone);
        }
    m_waiting.enter(entering, ageing_service_s, now());
}

void LoopCore::notePasses(Nanos time_ns, std::uint32_t passes)
{
    m_pass_time_ns += time_ns;
    m_passes += passes;
}

void LoopCore::waitForMore(Nanos deadline_ns)
{
    const Nanos until = m_arrivals.pending() ? std::min(m_arrivals.nextNs(), deadline_ns) : deadline_ns;
    if (!isVirtual()) flush(); // in virtual time no view waits for what comes next
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
        if (!isVirtual()) flush();
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
            m_served[requests[i]].score = made.score;
            const bool held = made.held && keepsHeld(requests[i], *made.held);
            const auto spare =
                static_cast<std::size_t>(call.elapsed_ns % count); // one ns each for the first ones
            const Nanos share = call.elapsed_ns / count + (i < spare ? 1 : 0);
            emitAt(at_ns, Predicted{requests[i], m_predictor->kind(), made.tokens, made.upper_bound,
                                    made.score, share, held, made.failed || (!made.tokens && !made.score)});
        }
    }
    for (const RequestIndex index : requests)
        noteStanding(index);
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

bool LoopCore::keepSuspended(RequestIndex index, SlotHandle slot, int generated_tokens)
{
    const int tokens = request(index).prompt_tokens + generated_tokens;
    if (m_holdable_tokens && m_held_tokens + tokens > *m_holdable_tokens) return false;
    m_backend.hold(slot);
    m_held_tokens += tokens;
    m_served[index].suspended = slot;
    m_served[index].keeps_kv = true;
    m_served[index].generated_tokens = generated_tokens;
    return true;
}

SlotHandle LoopCore::takeSuspended(RequestIndex index)
{
    m_held_tokens -= request(index).prompt_tokens + m_served[index].generated_tokens;
    return *std::exchange(m_served[index].suspended, std::nullopt);
}

// Seconds that the predicted passes take by themselves, and the key that follows.
void LoopCore::noteStanding(RequestIndex index)
{
    Served& served = m_served[index];
    const int passes = std::min(predictedOrCap(index) + 1, maxNewTokens(request(index)));
    const bool is_rank = served.score && !served.predicted_tokens;
    if (is_rank)
        served.service_s.reset();
    else if (const auto alone = m_backend.serviceAlone(request(index).prompt_tokens, passes))
        served.service_s = toSeconds(*alone);
    else if (m_passes > 0)
        served.service_s = toSeconds(m_pass_time_ns) / static_cast<double>(m_passes) * passes;
    served.key = m_ordering.key(standing(index), now());
}

} // namespace batchscope
