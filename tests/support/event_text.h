// SPDX-License-Identifier: GPL-3.0-or-later
// An event log as text, one line an event, times in ms: what golden logs are compared as.
#pragma once

#include "scheduler/event_log.h"

#include <fmt/core.h>
#include <string>

namespace batchscope::tests {

class EventText
{
public:
    static std::string of(std::span<const Event> log)
    {
        std::string text;
        for (const Event& event : log)
            text += fmt::format("{:g} {}{}\n", static_cast<double>(event.at_ns) / 1e6, eventName(event.body),
                                std::visit([](const auto& body) { return rest(body); }, event.body));
        return text;
    }

private:
    static std::string rest(const RunStarted& e)
    {
        return fmt::format(" requests {} slots {} cap {}", e.requests, e.slot_count, e.max_new_tokens);
    }
    static std::string rest(const Arrived& e)
    {
        return fmt::format(" r{} prompt {}", e.request, e.prompt_tokens);
    }
    static std::string rest(const Predicted& e)
    {
        return fmt::format(" r{} {}", e.request, e.tokens ? fmt::format("{}", *e.tokens) : "unknown");
    }
    static std::string rest(const Picked& e)
    {
        std::string text =
            fmt::format(" r{} batch {} by {} key {:g}", e.request, e.batch, pickRuleName(e.rule), e.key);
        if (e.runner_up) text += fmt::format(" before r{} {:g}", *e.runner_up, e.runner_up_key);
        if (e.first_passed) text += fmt::format(" over {} first r{}", e.passed_over, *e.first_passed);
        return text;
    }
    static std::string rest(const BatchFormed& e)
    {
        std::string text = fmt::format(" {}", e.batch);
        if (e.group) text += fmt::format(" group {}", *e.group);
        if (e.bin) text += fmt::format(" bin {}", *e.bin);
        if (e.kind == BatchKind::Recompute) text += " recompute";
        text += fmt::format(" padded {}:", e.padded_prompt_tokens);
        for (const RowStart& row : e.rows)
            text += fmt::format(" r{}.{}{}{}", row.request, row.attempt, row.limit_is_cap ? "<=" : "<",
                                row.limit_steps);
        return text;
    }
    static std::string rest(const Steps& e)
    {
        std::string text =
            fmt::format(" {} passes {}..{}", e.batch, e.first_step, e.first_step + e.count - 1);
        if (!e.reads.empty()) text += fmt::format(" reads {}", e.reads.size());
        return text;
    }
    static std::string rest(const RowEnded& e)
    {
        return fmt::format(" r{}.{} {} tokens {} pass {}", e.request, e.attempt, rowEndName(e.cause),
                           e.output_tokens, e.step);
    }
    static std::string rest(const AttemptAbandoned& e)
    {
        return fmt::format(" r{}.{} tokens {}", e.request, e.attempt, e.tokens);
    }
    static std::string rest(const BatchEnded& e) { return fmt::format(" {} passes {}", e.batch, e.steps); }
    static std::string rest(const RunEnded& e)
    {
        return " " + runStatusName(e.status) + (e.message.empty() ? "" : ": " + e.message);
    }
    template <typename Other>
    static std::string rest(const Other&)
    {
        return {};
    }
};

} // namespace batchscope::tests
