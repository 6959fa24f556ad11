// SPDX-License-Identifier: GPL-3.0-or-later
// What is still to arrive, by arrival time and then by index (file order for all-at-once arrivals). In a
// closed loop, and for later turns of a conversation, a completion decides when the next one arrives.
#pragma once

#include "scheduler/request.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace batchscope {

struct Arrival
{
    Nanos at_ns = 0;
    RequestIndex request = 0;
    bool operator==(const Arrival&) const = default;
    friend bool operator<(const Arrival& a, const Arrival& b)
    {
        return a.at_ns != b.at_ns ? a.at_ns < b.at_ns : a.request < b.request;
    }
};

class Arrivals
{
public:
    explicit Arrivals(const Workload& workload);
    // Somebody's arrival is known and has not been taken. (Who waits for a completion is not counted.)
    bool pending() const { return m_next < m_dated.size() || !m_released.empty(); }
    Nanos nextNs() const; // pending() only
    // Those that have arrived by now, in order; each is given once.
    std::vector<Arrival> takeUpTo(Nanos now_ns);
    // The answer has reached whoever asked: what waited for it now has an arrival.
    void complete(RequestIndex request, Nanos at_ns);

private:
    void release(RequestIndex request, Nanos at_ns);

    const Workload& m_workload;
    std::vector<Arrival> m_dated;                       // known from the start, in order
    std::size_t m_next = 0;                             // of m_dated
    std::vector<Arrival> m_released;                    // by completions: a heap, the next one in front
    std::vector<std::vector<RequestIndex>> m_followers; // by request; empty without conversations
    std::vector<RequestIndex> m_unsent;                 // closed loop: first turns, in file order ...
    std::size_t m_sent = 0;                             // ... of which so many have been given to clients
};

} // namespace batchscope
