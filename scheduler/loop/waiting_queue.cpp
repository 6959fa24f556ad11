// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/loop/waiting_queue.h"

namespace batchscope {

WaitingQueue::WaitingQueue(std::size_t requests, std::unique_ptr<WaitingOrder> order, Ageing ageing)
    : m_order(std::move(order)), m_ageing(ageing), m_rank_of(requests, k_no_rank),
      m_unpicked(requests, false), m_counts(requests + 1)
{
    m_by_rank.reserve(requests);
    m_arrivals.reserve(requests);
    if (m_ageing.isOn()) m_bounds.resize(requests);
}

void WaitingQueue::enter(const Standing& standing, std::optional<double> service_s, Nanos now_ns)
{
    std::uint32_t& rank = m_rank_of[standing.request];
    if (rank == k_no_rank) {
        rank = static_cast<std::uint32_t>(m_by_rank.size());
        m_by_rank.push_back(standing.request);
        m_arrivals.push_back(standing.arrival_ns);
    }
    m_order->enter(standing, now_ns);
    if (m_ageing.serves_all_by_arrival) m_by_arrival.enter({0.0, standing.arrival_ns, standing.request});
    ++m_waiting;
    m_unpicked[rank] = true;
    ++m_unpicked_count;
    m_first_unpicked = std::min<std::size_t>(m_first_unpicked, rank);
    count(rank, 1);
    if (const auto bound = m_ageing.bound(service_s)) {
        m_bounds[standing.request] = {standing.waitsFromNs(), *bound};
        const double passed_s = toSeconds(standing.waitsFromNs() + *bound);
        m_deadlines.enter({passed_s, standing.arrival_ns, standing.request});
    }
}

Nanos WaitingQueue::oldestArrivalNs() const
{
    return m_arrivals[m_first_unpicked];
}

std::vector<WaitingQueue::Promotion> WaitingQueue::promote(Nanos now_ns)
{
    std::vector<Promotion> promoted;
    for (auto due = m_deadlines.first(); due; due = m_deadlines.first()) {
        const Bound& bound = m_bounds[due->request];
        const Nanos waited_ns = now_ns - bound.waits_from_ns;
        if (waited_ns <= bound.most_ns) break;
        m_deadlines.leave(due->request);
        m_order->leave(due->request);
        m_aged.enter({0.0, due->arrival_ns, due->request});
        promoted.push_back({due->request, waited_ns, bound.most_ns});
    }
    m_is_by_arrival = m_ageing.serves_all_by_arrival && !m_aged.empty();
    return promoted;
}

std::optional<WaitingQueue::Place> WaitingQueue::first(Nanos now_ns)
{
    if (m_is_by_arrival) {
        const auto oldest = m_by_arrival.first();
        return oldest ? std::optional(Place{*oldest, true}) : std::nullopt;
    }
    if (const auto aged = m_aged.first()) return Place{*aged, true};
    if (const auto order = m_order->first(now_ns)) return Place{*order, false};
    return std::nullopt;
}

void WaitingQueue::take(RequestIndex request)
{
    --m_waiting;
    if (m_ageing.serves_all_by_arrival) m_by_arrival.leave(request);
    if (m_aged.holds(request)) return m_aged.leave(request);
    m_order->leave(request);
    m_deadlines.leave(request);
}

WaitingQueue::PassedOver WaitingQueue::pick(RequestIndex request)
{
    const std::uint32_t rank = m_rank_of[request];
    if (m_unpicked[rank]) {
        m_unpicked[rank] = false;
        --m_unpicked_count;
        count(rank, -1);
        skipPicked();
    }
    PassedOver passed;
    passed.others_wait = m_unpicked_count > 0;
    passed.count = countBelow(rank);
    if (passed.count > 0) passed.first = m_by_rank[m_first_unpicked];
    return passed;
}

void WaitingQueue::skipPicked()
{
    while (m_first_unpicked < m_by_rank.size() && !m_unpicked[m_first_unpicked])
        ++m_first_unpicked;
}

void WaitingQueue::count(std::uint32_t rank, int change)
{
    for (std::size_t i = rank + std::size_t{1}; i < m_counts.size(); i += i & (~i + 1))
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
