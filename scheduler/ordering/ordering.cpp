// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/ordering/ordering.h"

#include "scheduler/ordering/key_heap.h"

namespace batchscope {
namespace {

class StandingKeys final : public WaitingOrder
{
public:
    explicit StandingKeys(const Ordering& ordering) : m_ordering(ordering) {}
    void enter(const Standing& standing, Nanos now_ns) override
    {
        m_heap.enter({m_ordering.key(standing, now_ns), standing.arrival_ns, standing.request});
    }
    void leave(RequestIndex request) override { m_heap.leave(request); }
    std::optional<OrderKey> first(Nanos) override { return m_heap.first(); }

private:
    const Ordering& m_ordering;
    KeyHeap m_heap;
};

} // namespace

std::unique_ptr<WaitingOrder> Ordering::makeOrder()
{
    return std::make_unique<StandingKeys>(*this);
}

} // namespace batchscope
