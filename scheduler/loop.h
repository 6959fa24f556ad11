// SPDX-License-Identifier: GPL-3.0-or-later
// The scheduling loop: one loop for every backend and strategy. It runs on the caller's thread and never
// waits for a view; events leave in batches.
#pragma once

#include "scheduler/backend.h"
#include "scheduler/clock.h"
#include "scheduler/event.h"
#include "scheduler/predictor.h"
#include "scheduler/registry.h"
#include "scheduler/strategy.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <vector>

namespace batchscope {

// Receives the log as it grows, called on the loop's thread, in batches of at most a few thousand.
class EventSink
{
public:
    virtual ~EventSink() = default;
    virtual void append(std::vector<Event> events) = 0;
    // Generated ids of an attempt, as they come (measured runs only).
    virtual void appendTokens(RequestIndex request, std::uint16_t attempt, const std::vector<TokenId>& ids);
};

// Pause, continue and single-step from another thread. A step = one decision: until the next batch forms, a
// row ends, or one span of passes has run.
class RunControl
{
public:
    void pause();
    void resume();
    void step(); // lets a paused run make one decision
    bool isPaused() const;

    // Loop's side: blocks while paused; stops the clock meanwhile. Returns whether it paused. A decision
    // spends a step that was asked for; waiting for an arrival does not.
    bool waitWhilePaused(Clock& clock, const std::stop_token& stop, const std::function<void()>& onPause,
                         const std::function<void()>& onResume, bool spends_step = true);

private:
    mutable std::mutex m_mutex;
    std::condition_variable_any m_changed;
    bool m_paused = false;
    int m_steps = 0;
};

struct LoopInputs
{
    const Workload* workload = nullptr;
    const Strategy* strategy = nullptr;
    const Registry* registry = nullptr;
    Backend* backend = nullptr;
    LengthPredictor* predictor = nullptr; // absent: the registry makes the strategy's
    Clock* clock = nullptr;
};

// Runs to the end and returns how it ended; the last event is always RunEnded. Stop is honoured within one
// span. Throws SchedulerError before the first event where the strategy is refused, a batch can never fit
// (needed, allowed, the largest that fits) or a prompt does not fit the context (which, how long, the bound).
// A BackendError during the run ends it as Failed.
RunStatus runLoop(const LoopInputs& inputs, EventSink& sink, RunControl& control, std::stop_token stop);

} // namespace batchscope
