// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/event_pump.h"

#include <utility>

namespace batchscope::window {

void EventPump::put(News news)
{
    const std::lock_guard lock(m_mutex);
    m_news.push_back(std::move(news));
}

RunGrown& EventPump::growing()
{
    if (m_news.empty() || !std::holds_alternative<RunGrown>(m_news.back())) m_news.emplace_back(RunGrown{});
    return std::get<RunGrown>(m_news.back());
}

void EventPump::phaseChanged(app::Phase phase, const std::string& text, double fraction)
{
    const std::lock_guard lock(m_mutex);
    // Progress between two frames: only the newest is seen.
    if (!m_news.empty())
        if (auto* last = std::get_if<PhaseNews>(&m_news.back()); last && last->phase == phase) {
            *last = {phase, text, fraction};
            return;
        }
    m_news.emplace_back(PhaseNews{phase, text, fraction});
}

void EventPump::runStarted(int run, int runs, const sessions::RunRecord& record, const Workload& workload)
{
    put(RunBegan{run, runs, record, sessions::storedRequests(workload)});
}

void EventPump::eventsAppended(const std::vector<Event>& events)
{
    const std::lock_guard lock(m_mutex);
    auto& all = growing().events;
    all.insert(all.end(), events.begin(), events.end());
}

void EventPump::tokensAppended(RequestIndex request, std::uint16_t attempt, const std::vector<TokenId>& ids)
{
    const std::lock_guard lock(m_mutex);
    growing().tokens.push_back({request, attempt, ids});
}

void EventPump::runEnded(const sessions::RunRecord& record)
{
    put(RunFinished{record});
}

void EventPump::warned(const std::string& text)
{
    put(WarningTold{text});
}

void EventPump::finished(ExperimentFinished end)
{
    put(std::move(end));
}

std::vector<News> EventPump::take()
{
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_news, {});
}

} // namespace batchscope::window
