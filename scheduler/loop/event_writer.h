// SPDX-License-Identifier: GPL-3.0-or-later
// Hands the log to its sink in batches: at most 2,048 events, and none older than 33 ms of wall time when it
// can be seen.
#pragma once

#include "scheduler/loop.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

namespace batchscope {

class EventWriter
{
public:
    explicit EventWriter(EventSink& sink);
    // Times never run backwards: an earlier `at_ns` becomes that of the last event. `body` is one of
    // EventBody's: a run writes ten a request, and each move of a variant tells.
    template <typename Body>
    void write(Nanos at_ns, Body&& body)
    {
        m_last_ns = std::max(m_last_ns, at_ns);
        m_pending.push_back(Event{m_last_ns, std::forward<Body>(body)});
        if (m_pending.size() >= k_most_events) flush();
    }
    void flush();
    void flushIfDue();
    Nanos lastNs() const { return m_last_ns; }

private:
    static constexpr std::size_t k_most_events = 2048;

    EventSink& m_sink;
    std::vector<Event> m_pending;
    Nanos m_last_ns = 0;
    std::chrono::steady_clock::time_point m_flushed;
};

} // namespace batchscope
