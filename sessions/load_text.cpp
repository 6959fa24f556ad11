// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/load_text.h"

#include "scheduler/statistics/window.h"
#include "sessions/figure_text.h"

#include <cmath>
#include <fmt/format.h>

namespace batchscope::sessions {
namespace {

constexpr double k_idle_queue = 0.2; // busy for less of the time: order can hardly matter

std::int64_t slotsOf(const EventLog& log)
{
    for (const Event& event : log)
        if (const auto* started = std::get_if<RunStarted>(&event.body)) return started->slot_count;
    return 0;
}

// Public report S9: a queue that is empty has no order.
std::string emptyQueue(const RunMetrics& metrics)
{
    if (!metrics.queue_busy_share || *metrics.queue_busy_share >= k_idle_queue) return {};
    const double empty = 1 - *metrics.queue_busy_share;
    return fmt::format("The queue was empty {} of the time: order {} matter.", percent(empty),
                       *metrics.queue_busy_share == 0 ? "cannot" : "can hardly");
}

std::string theory(const RunRecord& record)
{
    if (!record.theory || !record.metrics || !record.metrics->queueing_delay_s.mean) return {};
    const double expected = record.theory->mean_wait_s, found = *record.metrics->queueing_delay_s.mean;
    std::string text =
        fmt::format("Queueing theory (M/G/1, {}, rho {:.2f}) gives a mean wait of {} s; the run's "
                    "is {} s",
                    record.strategy.ordering.type == "fcfs" ? "first come first served" : "shortest first",
                    record.theory->utilization, grouped(expected, 3), grouped(found, 3));
    if (expected > 0) text += fmt::format(" ({:+.1f} %)", (found / expected - 1) * 100);
    return text + ". Theory knows no beginning and no end: the longer the run, the nearer.";
}

std::string window(const RunRecord& record)
{
    if (!record.metrics || !record.metrics->window) return {};
    return "The window is " + windowWords(*record.metrics->window) +
           ". Figures that are not named so are of the whole run.";
}

} // namespace

std::vector<std::string> loadSentences(const RunRecord& record, const EventLog& log)
{
    std::vector<std::string> sentences;
    const auto add = [&](std::string sentence) {
        if (!sentence.empty()) sentences.push_back(std::move(sentence));
    };
    add(window(record));
    if (const auto load = loadHint(log)) {
        add(load->words);
        if (record.offered) add(offeredWords(*record.offered, slotsOf(log)));
        if (const auto law = littlesLaw(log)) add(law->words);
    }
    if (record.metrics) add(emptyQueue(*record.metrics));
    add(theory(record));
    return sentences;
}

} // namespace batchscope::sessions
