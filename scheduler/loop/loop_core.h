// SPDX-License-Identifier: GPL-3.0-or-later
// What a batching mode works with while a run goes on: time, the queue, predictions and the log. The loop
// alone owns time.
#pragma once

#include "scheduler/batching/batching_mode.h"
#include "scheduler/batching/bins.h"
#include "scheduler/loop.h"
#include "scheduler/loop/arrivals.h"
#include "scheduler/loop/event_writer.h"
#include "scheduler/loop/waiting_queue.h"
#include "scheduler/ordering/ordering.h"

#include <memory>
#include <span>
#include <vector>

namespace batchscope {

// Thrown by LoopCore::checkpoint when a stop was asked for; unwinds to the loop, every open batch closes its
// rows.
struct RunStopped
{};

// What the loop knows of a request beside the request itself.
struct Served
{
    Nanos arrival_ns = 0;
    std::optional<int> predicted_tokens; // absent: none or unknown, the cap is used
    std::optional<double> score;         // of a rank predictor
    std::optional<double> service_s;     // predicted, by itself; absent: unknown
    std::optional<SlotHandle> held;      // its prefill, kept from predicting
    std::optional<SlotHandle> suspended; // its place while it is preempted, or stopped by the limit (extend)
    bool keeps_kv = false;               // ... with its KV cache
    double key = 0.0;                    // the ordering's, when it was last looked at
    bool is_aged = false;                // promoted by age
    int bin = 0;                         // grouped mode
    int generated_tokens = 0;            // continuous: by now; else when it was suspended
    int evictions = 0;
    std::optional<Nanos> joined_ns; // continuous: since when it runs
    Nanos ran_ns = 0;               // continuous: in earlier stays
    std::uint16_t attempts = 0;     // started
};

// What follows from the strategy, the workload and the backend before the first event.
struct LoopSetup
{
    LengthPredictor* predictor = nullptr; // null: none
    std::unique_ptr<BatchingMode> mode;
    std::unique_ptr<Ordering> ordering;
    Ageing ageing;
    WorkExtent extent;
    Delivery delivery = Delivery::Streamed;
};

class LoopCore
{
public:
    // `setup` must outlive it.
    LoopCore(const LoopInputs& inputs, const LoopSetup& setup, EventSink& sink, RunControl& control,
             std::stop_token stop);

    const Request& request(RequestIndex index) const { return m_workload.requests[index]; }
    const Workload& workload() const { return m_workload; }
    const WorkExtent& extent() const { return m_extent; }
    Ordering& ordering() { return m_ordering; }
    Delivery delivery() const { return m_delivery; }
    const Capabilities& capabilities() const { return m_capabilities; }
    Backend& backend() { return m_backend; }
    EventSink& sink() { return m_sink; }
    const WaitingQueue& waiting() const { return m_waiting; }
    Served& served(RequestIndex index) { return m_served[index]; }
    const Served& served(RequestIndex index) const { return m_served[index]; }
    Standing standing(RequestIndex index) const
    {
        const Request& asked = request(index);
        const Served& served = m_served[index];
        const int done = m_work_stands ? 0 : served.generated_tokens;
        return {index,
                served.arrival_ns,
                asked.prompt_tokens,
                predictedOrCap(index),
                served.score,
                done,
                served.service_s,
                asked.priority,
                asked.client,
                ranNs(served)};
    }
    Nanos ranNs(const Served& served) const
    {
        return served.ran_ns + (served.joined_ns ? now() - *served.joined_ns : 0);
    }
    bool moreCanArrive() const { return m_arrivals.pending(); }
    Nanos nextArrivalNs() const { return m_arrivals.nextNs(); }
    int maxNewTokens(const Request& request) const; // the cap, or what the context leaves

    bool isVirtual() const { return m_clock.isVirtual(); }
    Nanos now() const;
    Picos nowPs() const { return m_clock.nowPs(); }
    void advancePs(Picos duration) { m_clock.advancePs(duration); }

    template <typename Body>
    void emit(Body&& body)
    {
        m_writer.write(now(), std::forward<Body>(body));
    }
    template <typename Body>
    void emitAt(Nanos at_ns, Body&& body)
    {
        m_writer.write(at_ns, std::forward<Body>(body));
    }
    void flush() { m_writer.flush(); }
    void sampleMemory();         // logged where it changed
    void sampleMemoryCoarsely(); // logged where it moved by a 64th of the most seen so far: for every pass

    // Before a decision: waits while paused, throws RunStopped when a stop was asked for.
    void checkpoint();
    // Takes in who has arrived by now; predicts them when the mode predicts on entry.
    void absorb();
    // Until the next arrival or the mode's deadline, whichever comes first.
    void waitForMore(Nanos deadline_ns);

    // Decisions. Promotes whoever has waited past its bound.
    void promoteAged();
    // Who would be served next; its key is then in `served`.
    std::optional<RequestIndex> firstWaiting();
    std::vector<RequestIndex> takeFirst(std::size_t count);
    // The reason why `request`, taken before, goes into `batch` now, ahead of `runner_up`. `rule`: given
    // where the order did not decide.
    Picked explainPick(RequestIndex request, BatchIndex batch, Nanos at_ns,
                       std::optional<RequestIndex> runner_up, std::optional<PickRule> rule = std::nullopt);
    void takeOne(RequestIndex request) { m_waiting.take(request); }
    // A preempted request waits again.
    void waitAgain(RequestIndex request);

    // What an answered request's asker does next (closed loops, conversations).
    void complete(RequestIndex request, Nanos at_ns) { m_arrivals.complete(request, at_ns); }
    // So much time so many passes took: what a predicted pass is worth on a measured run.
    void notePasses(Nanos time_ns, std::uint32_t passes);

    // One blocking call, charged to the run. Fills `served`, keys included.
    void predict(std::span<const RequestIndex> requests);
    int predictedOrCap(RequestIndex request) const
    {
        return clampPrediction(m_served[request].predicted_tokens.value_or(m_extent.cap), m_extent.cap);
    }
    std::optional<SlotHandle> takeHeld(RequestIndex request);
    // A row that leaves its batch keeps its KV cache if the budget holds it beside the heaviest batch.
    bool keepSuspended(RequestIndex request, SlotHandle slot, int generated_tokens);
    SlotHandle takeSuspended(RequestIndex request);
    std::int64_t heldBytes() const { return m_held_tokens * m_extent.kv.bytes_per_token; }

    BatchIndex nextBatch() { return m_next_batch++; }
    GroupIndex nextGroup() { return m_next_group++; }

private:
    void waitPaused(bool spends_step);
    bool keepsHeld(RequestIndex request, SlotHandle held);
    void noteStanding(RequestIndex request);
    void enterWaiting(RequestIndex request);
    PickRule ruleOf(RequestIndex picked, std::optional<RequestIndex> runner_up, bool others_wait) const;

    const Workload& m_workload;
    WorkExtent m_extent;
    std::optional<std::int64_t> m_holdable_tokens;
    Capabilities m_capabilities;
    bool m_predicts_on_entry;
    bool m_work_stands;       // compat J-10: predicted work does not shrink
    bool m_ages_by_true_time; // compat J-11
    Backend& m_backend;
    LengthPredictor* m_predictor; // null: none
    Ordering& m_ordering;
    Delivery m_delivery;
    Clock& m_clock;
    EventSink& m_sink;
    EventWriter m_writer;
    RunControl& m_control;
    std::stop_token m_stop;
    Arrivals m_arrivals;
    WaitingQueue m_waiting;
    std::vector<Served> m_served;
    std::int64_t m_held_tokens = 0;
    Nanos m_pass_time_ns = 0; // all passes so far
    std::int64_t m_passes = 0;
    MemoryUse m_last_memory;
    std::int64_t m_most_kv_bytes = 0;
    std::uint32_t m_decisions = 0;
    BatchIndex m_next_batch = 0;
    GroupIndex m_next_group = 0;
};

} // namespace batchscope
