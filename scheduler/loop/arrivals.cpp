// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/loop/arrivals.h"

#include <algorithm>

namespace batchscope {
namespace {

bool isLater(const Arrival& a, const Arrival& b)
{
    return b < a;
}

} // namespace

Arrivals::Arrivals(const Workload& workload) : m_workload(workload)
{
    const bool is_closed = workload.closed_loop_clients > 0;
    for (const Request& request : workload.requests) {
        if (request.follows) {
            m_followers.resize(workload.requests.size());
            m_followers[*request.follows].push_back(request.index);
        } else if (is_closed) {
            m_unsent.push_back(request.index);
        } else {
            m_dated.push_back({request.arrival_ns, request.index});
        }
    }
    for (; m_sent <
           std::min<std::size_t>(m_unsent.size(), static_cast<std::size_t>(workload.closed_loop_clients));
         ++m_sent)
        m_dated.push_back({workload.requests[m_unsent[m_sent]].think_ns, m_unsent[m_sent]});
    std::sort(m_dated.begin(), m_dated.end());
}

Nanos Arrivals::nextNs() const
{
    if (m_released.empty()) return m_dated[m_next].at_ns;
    if (m_next == m_dated.size()) return m_released.front().at_ns;
    return std::min(m_dated[m_next].at_ns, m_released.front().at_ns);
}

std::vector<Arrival> Arrivals::takeUpTo(Nanos now_ns)
{
    std::vector<Arrival> arrived;
    while (pending() && nextNs() <= now_ns) {
        const bool from_dated =
            m_next < m_dated.size() && (m_released.empty() || m_dated[m_next] < m_released.front());
        if (from_dated) {
            arrived.push_back(m_dated[m_next++]);
        } else {
            arrived.push_back(m_released.front());
            std::pop_heap(m_released.begin(), m_released.end(), isLater);
            m_released.pop_back();
        }
    }
    return arrived;
}

void Arrivals::release(RequestIndex request, Nanos at_ns)
{
    m_released.push_back({at_ns + m_workload.requests[request].think_ns, request});
    std::push_heap(m_released.begin(), m_released.end(), isLater);
}

// A client with a conversation in hand goes on with it; otherwise it takes the next that nobody has sent.
void Arrivals::complete(RequestIndex request, Nanos at_ns)
{
    const bool goes_on = !m_followers.empty() && !m_followers[request].empty();
    if (goes_on)
        for (const RequestIndex follower : m_followers[request])
            release(follower, at_ns);
    else if (m_sent < m_unsent.size())
        release(m_unsent[m_sent++], at_ns);
}

} // namespace batchscope
