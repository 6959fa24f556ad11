// SPDX-License-Identifier: GPL-3.0-or-later
// A queue in order of keys that do not move: a binary heap from which whoever left is dropped when it comes
// up. Entering and leaving take O(log n), amortised.
#pragma once

#include "scheduler/ordering/ordering.h"

#include <cstdint>
#include <vector>

namespace batchscope {

class KeyHeap
{
public:
    void enter(const OrderKey& key);
    void leave(RequestIndex request);
    bool holds(RequestIndex request) const { return request < m_turns.size() && m_turns[request].waits; }
    std::optional<OrderKey> first();
    std::size_t size() const { return m_waiting; }
    bool empty() const { return m_waiting == 0; }

private:
    struct Entry
    {
        OrderKey key;
        std::uint32_t turn = 0; // a request may come again: only its last entry counts
    };
    struct Turn
    {
        std::uint32_t turn = 0;
        bool waits = false;
    };
    static bool isBehind(const Entry& a, const Entry& b) { return b.key < a.key; }
    bool isStale(const Entry& entry) const;

    std::vector<Entry> m_heap;
    std::vector<Turn> m_turns; // by request
    std::size_t m_waiting = 0;
};

} // namespace batchscope
