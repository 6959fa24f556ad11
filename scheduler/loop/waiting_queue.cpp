// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/loop/waiting_queue.h"

#include "scheduler/loop/arrivals.h"

namespace batchscope {

WaitingQueue::WaitingQueue(const Workload& workload)
    : m_workload(workload), m_by_rank(arrivalOrder(workload)), m_rank_of(workload.requests.size()),
      m_counts(workload.requests.size() + 1)
{
    for (std::uint32_t rank = 0; rank < m_by_rank.size(); ++rank)
        m_rank_of[m_by_rank[rank]] = rank;
}

void WaitingQueue::enter(const OrderKey& key)
{
    m_order.insert(key);
    m_unpicked.insert(m_rank_of[key.request]);
    count(m_rank_of[key.request], 1);
}

std::optional<RequestIndex> WaitingQueue::first() const
{
    if (m_order.empty()) return std::nullopt;
    return m_order.begin()->request;
}

Nanos WaitingQueue::oldestArrivalNs() const
{
    return m_workload.requests[m_by_rank[*m_unpicked.begin()]].arrival_ns;
}

std::vector<RequestIndex> WaitingQueue::takeFirst(std::size_t count)
{
    std::vector<RequestIndex> taken;
    while (taken.size() < count && !m_order.empty()) {
        taken.push_back(m_order.begin()->request);
        m_order.erase(m_order.begin());
    }
    return taken;
}

WaitingQueue::PassedOver WaitingQueue::pick(RequestIndex request)
{
    const std::uint32_t rank = m_rank_of[request];
    if (m_unpicked.erase(rank) > 0) count(rank, -1);
    PassedOver passed;
    passed.others_wait = !m_unpicked.empty();
    passed.count = countBelow(rank);
    if (passed.count > 0) passed.first = m_by_rank[*m_unpicked.begin()];
    return passed;
}

void WaitingQueue::count(std::uint32_t rank, int change)
{
    for (std::size_t i = rank + 1; i < m_counts.size(); i += i & (~i + 1))
        m_counts[i] += static_cast<std::uint32_t>(change);
}

std::uint32_t WaitingQueue::countBelow(std::uint32_t rank) const
{
    std::uint32_t sum = 0;
    for (std::size_t i = rank; i > 0; i -= i & (~i + 1))
        sum += m_counts[i];
    return sum;
}

} // namespace batchscope
