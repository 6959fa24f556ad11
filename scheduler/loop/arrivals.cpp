// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/loop/arrivals.h"

#include <algorithm>
#include <numeric>

namespace batchscope {

std::vector<RequestIndex> arrivalOrder(const Workload& workload)
{
    std::vector<RequestIndex> order(workload.requests.size());
    std::iota(order.begin(), order.end(), RequestIndex{0});
    std::stable_sort(order.begin(), order.end(), [&workload](RequestIndex a, RequestIndex b) {
        return workload.requests[a].arrival_ns < workload.requests[b].arrival_ns;
    });
    return order;
}

Arrivals::Arrivals(const Workload& workload) : m_workload(workload), m_order(arrivalOrder(workload)) {}

Nanos Arrivals::nextNs() const
{
    return m_workload.requests[m_order[m_next]].arrival_ns;
}

std::vector<RequestIndex> Arrivals::takeUpTo(Nanos now_ns)
{
    std::vector<RequestIndex> arrived;
    for (; pending() && nextNs() <= now_ns; ++m_next)
        arrived.push_back(m_order[m_next]);
    return arrived;
}

} // namespace batchscope
