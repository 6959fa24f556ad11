// SPDX-License-Identifier: GPL-3.0-or-later
// Who has the highest response ratio, at every moment: ratios are lines in time, and a tournament tree keeps
// each pair's winner until the moment at which the other overtakes it (a kinetic tournament). Entering and
// leaving take O(log n); so does asking, amortised over the overtakings that really happen.
#pragma once

#include "scheduler/ordering/ordering.h"

#include <cstdint>
#include <vector>

namespace batchscope {

class RatioOrder final : public WaitingOrder
{
public:
    explicit RatioOrder(const Ordering& ordering) : m_ordering(ordering) {}
    void enter(const Standing& standing, Nanos now_ns) override;
    void leave(RequestIndex request) override;
    std::optional<OrderKey> first(Nanos now_ns) override;

private:
    static constexpr std::int32_t k_nobody = -1;
    struct Line // of a leaf: (now - arrival) / service
    {
        Standing standing;
        Nanos service_ns = 0; // 0: unknown, its ratio does not grow
    };
    struct Node
    {
        std::int32_t winner = k_nobody; // leaf
        Nanos valid_until_ns = 0;       // the winner stays so before that
    };
    bool isBetter(const Line& a, const Line& b, Nanos now_ns) const;
    static Nanos overtakingNs(const Line& ahead, const Line& behind);
    void pull(std::size_t node, Nanos now_ns);
    void refresh(std::size_t node, Nanos now_ns);
    void update(std::size_t leaf);
    void grow();

    const Ordering& m_ordering;
    std::vector<Line> m_lines;           // by leaf
    std::vector<Node> m_nodes;           // the root is 1, leaves follow the inner nodes
    std::vector<std::size_t> m_free;     // leaves
    std::vector<std::int32_t> m_leaf_of; // by request
    std::size_t m_capacity = 0;          // leaves
    Nanos m_now_ns = 0;
};

} // namespace batchscope
