// SPDX-License-Identifier: GPL-3.0-or-later
// What a batching mode works with while a run goes on: time, the queue, predictions and the log. The loop
// alone owns time.
#pragma once

#include "scheduler/batching/batching_mode.h"
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
    std::optional<int> predicted_tokens; // absent: none or unknown, the cap is used
    std::optional<SlotHandle> held;      // its prefill, kept from predicting
    double key = 0.0;                    // the ordering's
    int bin = 0;                         // grouped mode
    std::uint16_t attempts = 0;          // started
};

class LoopCore
{
public:
    LoopCore(const LoopInputs& inputs, LengthPredictor* predictor, const BatchingMode& mode,
             std::unique_ptr<Ordering> ordering, const WorkExtent& extent, EventSink& sink,
             RunControl& control, std::stop_token stop);

    const Request& request(RequestIndex index) const { return m_workload.requests[index]; }
    const Workload& workload() const { return m_workload; }
    const WorkExtent& extent() const { return m_extent; }
    const Ordering& ordering() const { return *m_ordering; }
    Backend& backend() { return m_backend; }
    EventSink& sink() { return m_sink; }
    WaitingQueue& waiting() { return m_waiting; }
    const WaitingQueue& waiting() const { return m_waiting; }
    Served& served(RequestIndex index) { return m_served[index]; }
    bool moreCanArrive() const { return m_arrivals.pending(); }
    int maxNewTokens(const Request& request) const; // the cap, or what the context leaves

    bool isVirtual() const { return m_clock.isVirtual(); }
    Nanos now() const;
    Picos nowPs() const { return m_clock.nowPs(); }
    void advancePs(Picos duration) { m_clock.advancePs(duration); }

    void emit(EventBody body) { m_writer.write(now(), std::move(body)); }
    void emitAt(Nanos at_ns, EventBody body) { m_writer.write(at_ns, std::move(body)); }
    void flush() { m_writer.flush(); }
    void sampleMemory(); // logged where it changed

    // Before a decision: waits while paused, throws RunStopped when a stop was asked for.
    void checkpoint();
    // Takes in who has arrived by now; predicts them when the mode predicts on entry.
    void absorb();
    // Until the next arrival or the mode's deadline, whichever comes first.
    void waitForMore(Nanos deadline_ns);

    // One blocking call, charged to the run. Fills `served`, keys included.
    void predict(std::span<const RequestIndex> requests);
    int predictedOrCap(RequestIndex request) const;
    std::optional<SlotHandle> takeHeld(RequestIndex request);
    std::int64_t heldBytes() const { return m_held_tokens * m_extent.kv.bytes_per_token; }

    BatchIndex nextBatch() { return m_next_batch++; }
    GroupIndex nextGroup() { return m_next_group++; }

private:
    void waitPaused(bool spends_step);
    bool keepsHeld(RequestIndex request, SlotHandle held);
    void setKey(RequestIndex request);

    const Workload& m_workload;
    WorkExtent m_extent;
    std::optional<std::int64_t> m_holdable_tokens;
    int m_context;
    bool m_predicts_on_entry;
    Backend& m_backend;
    LengthPredictor* m_predictor; // null: none
    std::unique_ptr<Ordering> m_ordering;
    Clock& m_clock;
    EventSink& m_sink;
    EventWriter m_writer;
    RunControl& m_control;
    std::stop_token m_stop;
    Arrivals m_arrivals;
    WaitingQueue m_waiting;
    std::vector<Served> m_served;
    std::int64_t m_held_tokens = 0;
    MemoryUse m_last_memory;
    BatchIndex m_next_batch = 0;
    GroupIndex m_next_group = 0;
};

} // namespace batchscope
