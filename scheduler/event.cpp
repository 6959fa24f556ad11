// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/event.h"

#include <array>
#include <numeric>

namespace batchscope {

std::string eventName(const EventBody& body)
{
    static constexpr std::array<const char*, std::variant_size_v<EventBody>> k_names{
        "run-started", "arrived",           "predicted",     "picked",   "batch-formed", "steps",
        "row-ended",   "attempt-abandoned", "batch-ended",   "promoted", "preempted",    "resumed",
        "memory",      "run-paused",        "run-continued", "run-ended"};
    return k_names.at(body.index());
}

std::string runStatusName(RunStatus status)
{
    switch (status) {
    case RunStatus::Completed:
        return "completed";
    case RunStatus::Failed:
        return "failed";
    case RunStatus::Cancelled:
        return "cancelled";
    case RunStatus::Interrupted:
        return "interrupted";
    }
    return "unknown";
}

std::string rowEndName(RowEnd end)
{
    switch (end) {
    case RowEnd::Eos:
        return "eos";
    case RowEnd::Length:
        return "length";
    case RowEnd::Cap:
        return "cap";
    case RowEnd::Limit:
        return "limit";
    case RowEnd::Failed:
        return "failed";
    case RowEnd::Cancelled:
        return "cancelled";
    }
    return "unknown";
}

std::string pickRuleName(PickRule rule)
{
    switch (rule) {
    case PickRule::Arrival:
        return "arrival";
    case PickRule::Key:
        return "key";
    case PickRule::Tie:
        return "tie";
    case PickRule::Bin:
        return "bin";
    case PickRule::Aged:
        return "aged";
    case PickRule::OnlyOne:
        return "only-one";
    case PickRule::Recompute:
        return "recompute";
    }
    return "unknown";
}

Nanos stepEndNs(const Steps& steps, std::uint32_t i)
{
    if (!steps.durations_ns.empty()) {
        const auto first = steps.durations_ns.begin();
        return std::accumulate(first, first + i + 1, steps.start_ns);
    }
    return (steps.start_ps + spanPs(steps.first_ps, steps.growth_ps, i + 1)) / k_picos_per_nano;
}

} // namespace batchscope
