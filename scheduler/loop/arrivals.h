// SPDX-License-Identifier: GPL-3.0-or-later
// What is still to arrive, by arrival time and then by index (file order for all-at-once arrivals).
#pragma once

#include "scheduler/request.h"

#include <cstdint>
#include <vector>

namespace batchscope {

// Every index of the workload by (arrival, index).
std::vector<RequestIndex> arrivalOrder(const Workload& workload);

class Arrivals
{
public:
    explicit Arrivals(const Workload& workload);
    bool pending() const { return m_next < m_order.size(); }
    Nanos nextNs() const; // pending() only
    // Those that have arrived by now, in order; each is given once.
    std::vector<RequestIndex> takeUpTo(Nanos now_ns);

private:
    const Workload& m_workload;
    std::vector<RequestIndex> m_order;
    std::size_t m_next = 0;
};

} // namespace batchscope
