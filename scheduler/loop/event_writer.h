// SPDX-License-Identifier: GPL-3.0-or-later
// Hands the log to its sink in batches: at most 2,048 events, and none older than 33 ms of wall time when it
// can be seen.
#pragma once

#include "scheduler/loop.h"

#include <chrono>
#include <vector>

namespace batchscope {

class EventWriter
{
public:
    explicit EventWriter(EventSink& sink);
    // Times never run backwards: an earlier `at_ns` becomes that of the last event.
    void write(Nanos at_ns, EventBody body);
    void flush();
    void flushIfDue();
    Nanos lastNs() const { return m_last_ns; }

private:
    EventSink& m_sink;
    std::vector<Event> m_pending;
    Nanos m_last_ns = 0;
    std::chrono::steady_clock::time_point m_flushed;
};

} // namespace batchscope
