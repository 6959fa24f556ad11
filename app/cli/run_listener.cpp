// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/run_listener.h"

#include <fmt/format.h>

namespace batchscope::cli {

void RunListener::phaseChanged(app::Phase phase, const std::string& text, double fraction)
{
    if (phase == app::Phase::Running || phase == app::Phase::Closing) return; // the runs speak for themselves
    constexpr std::int64_t k_percent = 100;
    if (text != m_phase) m_progress.begin(text, fraction >= 0 ? k_percent : 0, fraction >= 0 ? "%" : "");
    m_phase = text;
    m_progress.update(fraction >= 0 ? static_cast<std::int64_t>(fraction * k_percent) : 0);
}

void RunListener::runStarted(int run, int runs, const sessions::RunRecord& record, const Workload& workload)
{
    if (run == 0)
        m_progress.say(fmt::format("{} requests ({}), {}", workload.requests.size(), workload.source,
                                   provenanceSentence(record.provenance, record.strategy)));
    m_phase.clear();
    m_ended = 0;
    m_tokens = 0;
    m_now_ns = 0;
    m_progress.begin(fmt::format("{}/{} {}", run + 1, runs, record.name),
                     static_cast<std::int64_t>(workload.requests.size()), "requests");
}

void RunListener::eventsAppended(const std::vector<Event>& events)
{
    for (const Event& event : events) {
        m_now_ns = event.at_ns;
        const auto* ended = std::get_if<RowEnded>(&event.body);
        if (!ended || ended->cause == RowEnd::Limit) continue; // FCR runs it again
        ++m_ended;
        m_tokens += ended->output_tokens;
    }
    const double seconds = toSeconds(m_now_ns);
    m_progress.update(m_ended, seconds > 0
                                   ? fmt::format("{:.0f} tokens/s", static_cast<double>(m_tokens) / seconds)
                                   : std::string{});
}

void RunListener::runEnded(const sessions::RunRecord& record)
{
    m_progress.end();
    if (record.status && *record.status != RunStatus::Completed)
        m_progress.say(fmt::format("{}: {}{}{}", record.name, runStatusName(*record.status),
                                   record.message.empty() ? "" : ": ", record.message));
}

void RunListener::warned(const std::string& text)
{
    m_progress.say("Note: " + text);
}

} // namespace batchscope::cli
