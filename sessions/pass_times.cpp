// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/pass_times.h"

#include <algorithm>
#include <map>
#include <utility>

namespace batchscope::sessions {

namespace {

constexpr std::int64_t k_context_step =
    64; // tokens: attention takes longer the more there is to look back at
constexpr std::int64_t k_fewest_passes = 30;

using Size = std::pair<std::size_t, std::int64_t>; // rows, context in steps

struct Passes
{
    std::int64_t count = 0;
    double total_ms = 0;
    double mean() const { return total_ms / static_cast<double>(count); }
};

struct Batch
{
    std::size_t rows = 0;
    std::int64_t prompt_tokens = 0;
};

std::map<Size, Passes> passesBySize(const EventLog& log)
{
    constexpr double k_nanos_per_ms = 1e6;
    std::map<BatchIndex, Batch> batches;
    std::map<Size, Passes> passes;
    for (const Event& event : log) {
        if (const auto* formed = std::get_if<BatchFormed>(&event.body))
            batches[formed->batch] = {formed->rows.size(), formed->padded_prompt_tokens};
        const auto* steps = std::get_if<Steps>(&event.body);
        if (!steps) continue;
        const Batch& batch = batches[steps->batch];
        // Prompts are read in the first pass of a span: it takes as long as they are.
        for (std::size_t i = steps->reads.empty() ? 0 : 1; i < steps->durations_ns.size(); ++i) {
            const auto context = batch.prompt_tokens + steps->first_step + static_cast<std::int64_t>(i);
            Passes& of_size = passes[{batch.rows, context / k_context_step}];
            ++of_size.count;
            of_size.total_ms += static_cast<double>(steps->durations_ns[i]) / k_nanos_per_ms;
        }
    }
    return passes;
}

} // namespace

std::optional<PassTimes> comparePassTimes(const EventLog& baseline, const EventLog& other)
{
    const auto before = passesBySize(baseline), now = passesBySize(other);
    PassTimes times;
    for (const auto& [size, passes] : before) {
        const auto same = now.find(size);
        if (same == now.end()) continue;
        const std::int64_t shared = std::min(passes.count, same->second.count);
        times.passes += shared;
        times.baseline_ms += passes.mean() * static_cast<double>(shared);
        times.other_ms += same->second.mean() * static_cast<double>(shared);
    }
    if (times.passes < k_fewest_passes || times.baseline_ms <= 0) return std::nullopt;
    times.baseline_ms /= static_cast<double>(times.passes);
    times.other_ms /= static_cast<double>(times.passes);
    return times;
}

} // namespace batchscope::sessions
