// SPDX-License-Identifier: GPL-3.0-or-later
// Recounts from a log alone what a continuous run promised: slots, KV cache, token budget, evictions.
#pragma once

#include "scheduler/event_log.h"
#include "scheduler/request.h"

#include <algorithm>
#include <fmt/core.h>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace batchscope::tests {

class ContinuousAudit
{
public:
    struct Bounds
    {
        std::size_t slot_count = 1;
        std::optional<std::int64_t> kv_tokens;
        std::optional<int> token_budget;
        int most_evictions = 0;
    };

    // What the log breaks; empty where it keeps everything.
    static std::vector<std::string> of(std::span<const Event> log, const Bounds& bounds)
    {
        ContinuousAudit audit(bounds);
        for (const Event& event : log)
            std::visit([&audit](const auto& body) { audit.on(body); }, event.body);
        return std::move(audit.m_faults);
    }

private:
    struct Row
    {
        RequestIndex request = 0;
        int cached = 0; // tokens of its KV cache
        bool reads = true;
    };

    explicit ContinuousAudit(const Bounds& bounds) : m_bounds(bounds) {}

    template <typename Other>
    void on(const Other&)
    {}
    void on(const BatchFormed& formed)
    {
        for (const RowStart& row : formed.rows)
            m_rows[row.slot] = {row.request, 0, true};
        if (m_rows.size() > m_bounds.slot_count) fault(fmt::format("{} rows at a time", m_rows.size()));
    }
    void on(const Resumed& resumed)
    {
        if (resumed.kept_tokens > 0) m_rows[resumed.slot] = {resumed.request, m_kept[resumed.request], false};
    }
    void on(const Preempted& preempted)
    {
        m_kept[preempted.request] = m_rows[preempted.slot].cached;
        m_rows.erase(preempted.slot);
        if (++m_evictions[preempted.request] > m_bounds.most_evictions)
            fault(fmt::format("request {} evicted {} times", preempted.request,
                              m_evictions[preempted.request]));
        if (preempted.in_favour_of && preempted.favoured_key >= preempted.key)
            fault(fmt::format("request {} lost its place to a key that is no better", preempted.request));
    }
    void on(const Arrived& arrived) { m_arrival_ns[arrived.request] = arrived.arrival_ns; }
    // Nobody but those promoted before it, by arrival, may go ahead of one whose bound has passed.
    void on(const Promoted& promoted)
    {
        m_promoted.insert({m_arrival_ns[promoted.request], promoted.request});
    }
    void on(const Picked& picked)
    {
        if (m_promoted.empty()) return;
        if (m_promoted.begin()->second != picked.request)
            fault(fmt::format("request {} goes ahead of {}, whose wait had passed its bound", picked.request,
                              m_promoted.begin()->second));
        if (picked.rule != PickRule::Aged) fault("a promoted request is not said to be one");
        m_promoted.erase({m_arrival_ns[picked.request], picked.request});
    }
    void on(const RowEnded& ended) { m_rows.erase(ended.slot); }
    void on(const Steps& steps)
    {
        std::int64_t tokens = 0;
        for (const PromptRead& read : steps.reads) {
            Row& row = m_rows[read.slot];
            tokens += read.tokens;
            row.cached += read.tokens;
            row.reads = !read.completes;
        }
        for (auto& [slot, row] : m_rows) {
            const bool read_now =
                std::any_of(steps.reads.begin(), steps.reads.end(),
                            [&, s = slot](const PromptRead& read) { return read.slot == s; });
            if (read_now || row.reads) continue;
            ++tokens;
            row.cached += static_cast<int>(steps.count);
        }
        if (m_bounds.token_budget && tokens > *m_bounds.token_budget)
            fault(fmt::format("a pass of {} tokens", tokens));
        std::int64_t cached = 0;
        for (const auto& [slot, row] : m_rows)
            cached += row.cached;
        if (m_bounds.kv_tokens && cached > *m_bounds.kv_tokens)
            fault(fmt::format("{} tokens of KV cache", cached));
    }
    void fault(std::string text) { m_faults.push_back(std::move(text)); }

    Bounds m_bounds;
    std::map<std::uint32_t, Row> m_rows; // by slot
    std::map<RequestIndex, int> m_kept, m_evictions;
    std::map<RequestIndex, Nanos> m_arrival_ns;
    std::set<std::pair<Nanos, RequestIndex>> m_promoted; // and not yet picked
    std::vector<std::string> m_faults;
};

} // namespace batchscope::tests
