// SPDX-License-Identifier: GPL-3.0-or-later
// Who waits: the order in which they would be served, and beside it who arrived first, so that a pick can say
// whom it passed over. All operations take O(log n).
#pragma once

#include "scheduler/ordering/ordering.h"

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace batchscope {

class WaitingQueue
{
public:
    explicit WaitingQueue(const Workload& workload);

    void enter(const OrderKey& key);
    std::size_t size() const { return m_order.size(); }
    bool empty() const { return m_order.empty(); }
    std::optional<RequestIndex> first() const;
    Nanos oldestArrivalNs() const; // of those that no batch has picked; somebody waits

    // Takes the first `count` out of the order; they wait on until they are picked.
    std::vector<RequestIndex> takeFirst(std::size_t count);

    struct PassedOver
    {
        std::uint32_t count = 0; // still unpicked, though they arrived earlier
        std::optional<RequestIndex> first;
        bool others_wait = false; // anybody at all is left unpicked
    };
    PassedOver pick(RequestIndex request);

private:
    void count(std::uint32_t rank, int change);
    std::uint32_t countBelow(std::uint32_t rank) const;

    const Workload& m_workload;
    std::vector<RequestIndex> m_by_rank;  // rank: place by arrival, then index
    std::vector<std::uint32_t> m_rank_of; // by request
    std::set<OrderKey> m_order;
    std::set<std::uint32_t> m_unpicked;  // ranks
    std::vector<std::uint32_t> m_counts; // Fenwick tree over ranks
};

} // namespace batchscope
