// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/ordering/key_heap.h"

#include <algorithm>

namespace batchscope {

void KeyHeap::enter(const OrderKey& key)
{
    if (key.request >= m_turns.size())
        m_turns.resize(std::max<std::size_t>(key.request + std::size_t{1}, 2 * m_turns.size()));
    Turn& turn = m_turns[key.request];
    m_waiting += turn.waits ? 0 : 1;
    turn.waits = true;
    m_heap.push_back({key, ++turn.turn});
    std::push_heap(m_heap.begin(), m_heap.end(), isBehind);
}

void KeyHeap::leave(RequestIndex request)
{
    if (!holds(request)) return;
    m_turns[request].waits = false;
    --m_waiting;
}

bool KeyHeap::isStale(const Entry& entry) const
{
    const Turn& turn = m_turns[entry.key.request];
    return !turn.waits || turn.turn != entry.turn;
}

std::optional<OrderKey> KeyHeap::first()
{
    while (!m_heap.empty() && isStale(m_heap.front())) {
        std::pop_heap(m_heap.begin(), m_heap.end(), isBehind);
        m_heap.pop_back();
    }
    if (m_heap.empty()) return std::nullopt;
    return m_heap.front().key;
}

} // namespace batchscope
