// SPDX-License-Identifier: GPL-3.0-or-later
// Who waits: the order in which they would be served, with those promoted by age in front, and beside it who
// arrived first, so that a pick can say whom it passed over. Operations take O(log n), amortised.
#pragma once

#include "scheduler/ordering/ageing.h"
#include "scheduler/ordering/key_heap.h"
#include "scheduler/ordering/ordering.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace batchscope {

class WaitingQueue
{
public:
    // `requests` is how many there can be; `order` is the ordering's.
    WaitingQueue(std::size_t requests, std::unique_ptr<WaitingOrder> order, Ageing ageing);

    // In order of arrival, then index; a preempted request comes again. `service_s` is what the ageing bound
    // counts by.
    void enter(const Standing& standing, std::optional<double> service_s, Nanos now_ns);
    std::size_t size() const { return m_waiting; }
    bool empty() const { return m_waiting == 0; }
    Nanos oldestArrivalNs() const; // of those that no batch has picked; somebody waits

    struct Promotion
    {
        RequestIndex request = 0;
        Nanos waited_ns = 0;
        Nanos bound_ns = 0;
    };
    // At a decision: moves those whose wait has passed their bound to the head, by arrival.
    std::vector<Promotion> promote(Nanos now_ns);

    struct Place
    {
        OrderKey order;
        bool is_aged = false; // it was promoted
    };
    std::optional<Place> first(Nanos now_ns);
    void take(RequestIndex request); // out of the order; it waits on until it is picked

    struct PassedOver
    {
        std::uint32_t count = 0; // still unpicked, though they arrived earlier
        std::optional<RequestIndex> first;
        bool others_wait = false; // anybody at all is left unpicked
    };
    PassedOver pick(RequestIndex request);

private:
    static constexpr std::uint32_t k_no_rank = 0xFFFFFFFF;
    struct Bound
    {
        Nanos waits_from_ns = 0; // what it ran before does not count
        Nanos most_ns = 0;
    };
    void count(std::uint32_t rank, int change);
    std::uint32_t countBelow(std::uint32_t rank) const;
    void skipPicked();

    std::unique_ptr<WaitingOrder> m_order;
    Ageing m_ageing;
    KeyHeap m_deadlines;                  // key: seconds of the run at which the bound is passed
    KeyHeap m_aged;                       // by arrival
    KeyHeap m_by_arrival;                 // all who wait; kept for J-11 alone
    bool m_is_by_arrival = false;         // J-11: this decision is
    std::vector<Bound> m_bounds;          // by request
    std::vector<Nanos> m_arrivals;        // by rank
    std::vector<RequestIndex> m_by_rank;  // rank: place by arrival, then index
    std::vector<std::uint32_t> m_rank_of; // by request
    std::vector<bool> m_unpicked;         // by rank
    std::size_t m_first_unpicked = 0;     // rank; those before it have all been picked
    std::vector<std::uint32_t> m_counts;  // Fenwick tree over ranks of the unpicked
    std::size_t m_waiting = 0;            // in the order
    std::size_t m_unpicked_count = 0;
};

} // namespace batchscope
