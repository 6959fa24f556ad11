// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/loop.h"

namespace batchscope {

void RunControl::pause()
{
    const std::scoped_lock lock(m_mutex);
    m_paused = true;
}

void RunControl::resume()
{
    {
        const std::scoped_lock lock(m_mutex);
        m_paused = false;
        m_steps = 0;
    }
    m_changed.notify_all();
}

void RunControl::step()
{
    {
        const std::scoped_lock lock(m_mutex);
        if (m_paused) ++m_steps;
    }
    m_changed.notify_all();
}

bool RunControl::isPaused() const
{
    const std::scoped_lock lock(m_mutex);
    return m_paused;
}

bool RunControl::waitWhilePaused(Clock& clock, const std::stop_token& stop,
                                 const std::function<void()>& onPause, const std::function<void()>& onResume,
                                 bool spends_step)
{
    std::unique_lock lock(m_mutex);
    const auto mayGoOn = [this] { return !m_paused || m_steps > 0; };
    const bool blocks = !mayGoOn();
    if (blocks) {
        clock.pause();
        lock.unlock(); // a sink may be slow, or ask isPaused()
        onPause();
        lock.lock();
        m_changed.wait(lock, stop, mayGoOn);
    }
    if (m_paused && m_steps > 0 && spends_step) --m_steps;
    lock.unlock();
    if (blocks) {
        clock.resume();
        onResume();
    }
    return blocks;
}

} // namespace batchscope
