// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/clock.h"

#include <algorithm>
#include <thread>

namespace batchscope {
namespace {

using Steady = std::chrono::steady_clock;
constexpr auto k_sleep_slice = std::chrono::milliseconds(5); // a stop is honoured within this

Nanos inNanos(Steady::duration duration)
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count();
}

} // namespace

void VirtualClock::waitUntil(Nanos at_ns, const std::stop_token&)
{
    m_now_ps = std::max(m_now_ps, at_ns * k_picos_per_nano);
}

WallClock::WallClock() : m_start(Steady::now()) {}

Nanos WallClock::now() const
{
    const auto moment = m_is_paused ? m_paused_at : Steady::now();
    return inNanos(moment - m_start - m_paused);
}

void WallClock::waitUntil(Nanos at_ns, const std::stop_token& stop)
{
    for (Nanos left = at_ns - now(); left > 0 && !stop.stop_requested(); left = at_ns - now())
        std::this_thread::sleep_for(
            std::min<Steady::duration>(k_sleep_slice, std::chrono::nanoseconds(left)));
}

void WallClock::pause()
{
    if (m_is_paused) return;
    m_paused_at = Steady::now();
    m_is_paused = true;
}

void WallClock::resume()
{
    if (!m_is_paused) return;
    m_paused += Steady::now() - m_paused_at;
    m_is_paused = false;
}

} // namespace batchscope
