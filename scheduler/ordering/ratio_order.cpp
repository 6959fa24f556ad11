// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/ordering/ratio_order.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace batchscope {
namespace {

__extension__ typedef __int128 Wide; // products of two times in nanoseconds

constexpr Nanos k_never = std::numeric_limits<Nanos>::max();

} // namespace

bool RatioOrder::isBetter(const Line& a, const Line& b, Nanos now_ns) const
{
    // Unknown service: a line that stays at 0.
    const Wide left = a.service_ns == 0
                          ? Wide(0)
                          : Wide(now_ns - a.standing.waitsFromNs()) * std::max<Nanos>(1, b.service_ns);
    const Wide right = b.service_ns == 0
                           ? Wide(0)
                           : Wide(now_ns - b.standing.waitsFromNs()) * std::max<Nanos>(1, a.service_ns);
    if (left != right) return left > right;
    if (a.standing.arrival_ns != b.standing.arrival_ns) return a.standing.arrival_ns < b.standing.arrival_ns;
    return a.standing.request < b.standing.request;
}

// The earliest moment at which the one behind may be ahead: never where its line is no steeper.
Nanos RatioOrder::overtakingNs(const Line& ahead, const Line& behind)
{
    if (behind.service_ns == 0) return k_never;
    if (ahead.service_ns == 0) return behind.standing.waitsFromNs() + 1;
    if (behind.service_ns >= ahead.service_ns) return k_never;
    const Wide at = (Wide(behind.standing.waitsFromNs()) * ahead.service_ns -
                     Wide(ahead.standing.waitsFromNs()) * behind.service_ns) /
                    (ahead.service_ns - behind.service_ns);
    return at >= Wide(k_never) ? k_never : static_cast<Nanos>(at);
}

void RatioOrder::pull(std::size_t node, Nanos now_ns)
{
    const Node& left = m_nodes[2 * node];
    const Node& right = m_nodes[2 * node + 1];
    Node& own = m_nodes[node];
    own.valid_until_ns = std::min(left.valid_until_ns, right.valid_until_ns);
    if (left.winner == k_nobody || right.winner == k_nobody) {
        own.winner = std::max(left.winner, right.winner);
        return;
    }
    const Line& a = m_lines[static_cast<std::size_t>(left.winner)];
    const Line& b = m_lines[static_cast<std::size_t>(right.winner)];
    const bool left_wins = isBetter(a, b, now_ns);
    own.winner = left_wins ? left.winner : right.winner;
    // A tie is decided anew at the next nanosecond.
    const Nanos overtaken = left_wins ? overtakingNs(a, b) : overtakingNs(b, a);
    own.valid_until_ns = std::min(own.valid_until_ns, std::max(overtaken, now_ns + 1));
}

void RatioOrder::refresh(std::size_t node, Nanos now_ns)
{
    if (node >= m_capacity || m_nodes[node].valid_until_ns > now_ns) return;
    refresh(2 * node, now_ns);
    refresh(2 * node + 1, now_ns);
    pull(node, now_ns);
}

void RatioOrder::update(std::size_t leaf)
{
    for (std::size_t node = (m_capacity + leaf) / 2; node >= 1; node /= 2)
        pull(node, m_now_ns);
}

void RatioOrder::grow()
{
    const std::size_t before = m_capacity;
    m_capacity = std::max<std::size_t>(16, 2 * before);
    m_lines.resize(m_capacity);
    std::vector<Node> nodes(2 * m_capacity, Node{k_nobody, k_never});
    for (std::size_t leaf = 0; leaf < before; ++leaf)
        nodes[m_capacity + leaf] = m_nodes[before + leaf];
    m_nodes = std::move(nodes);
    for (std::size_t leaf = m_capacity; leaf > before; --leaf)
        m_free.push_back(leaf - 1);
    for (std::size_t node = m_capacity - 1; node >= 1; --node)
        pull(node, m_now_ns);
}

void RatioOrder::enter(const Standing& standing, Nanos now_ns)
{
    m_now_ns = std::max(m_now_ns, now_ns);
    if (m_free.empty()) grow();
    const std::size_t leaf = m_free.back();
    m_free.pop_back();
    const double service_ns = standing.service_s.value_or(0) * 1e9;
    m_lines[leaf] = {standing, service_ns >= 1 ? std::llround(service_ns) : 0};
    m_nodes[m_capacity + leaf] = {static_cast<std::int32_t>(leaf), k_never};
    if (standing.request >= m_leaf_of.size())
        m_leaf_of.resize(std::max<std::size_t>(standing.request + std::size_t{1}, 2 * m_leaf_of.size()),
                         k_nobody);
    m_leaf_of[standing.request] = static_cast<std::int32_t>(leaf);
    update(leaf);
}

void RatioOrder::leave(RequestIndex request)
{
    if (request >= m_leaf_of.size() || m_leaf_of[request] == k_nobody) return;
    const auto leaf = static_cast<std::size_t>(m_leaf_of[request]);
    m_leaf_of[request] = k_nobody;
    m_nodes[m_capacity + leaf] = {k_nobody, k_never};
    m_free.push_back(leaf);
    update(leaf);
}

std::optional<OrderKey> RatioOrder::first(Nanos now_ns)
{
    if (m_capacity == 0) return std::nullopt;
    m_now_ns = std::max(m_now_ns, now_ns);
    refresh(1, m_now_ns);
    const std::int32_t winner = m_nodes[1].winner;
    if (winner == k_nobody) return std::nullopt;
    const Standing& best = m_lines[static_cast<std::size_t>(winner)].standing;
    return OrderKey{m_ordering.key(best, m_now_ns), best.arrival_ns, best.request};
}

} // namespace batchscope
