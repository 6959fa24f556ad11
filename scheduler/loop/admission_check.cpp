// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/loop/admission_check.h"

#include "scheduler/error.h"

#include <algorithm>
#include <fmt/core.h>

namespace batchscope {
namespace {

std::string named(const Request& request)
{
    if (request.id.empty()) return fmt::format("request {}", request.index);
    return fmt::format("request {} (id \"{}\")", request.index, request.id);
}

void checkLength(const Request& request, LengthMode mode)
{
    if (mode == LengthMode::Free) return;
    if (!request.output_tokens)
        throw SchedulerError(
            fmt::format("{} has no output length, and lengths are {}: give output_tokens for every "
                        "request, or set workload.lengths.mode to free, fixed or drawn",
                        named(request), lengthModeName(mode)));
    if (*request.output_tokens < 0)
        throw SchedulerError(fmt::format("{} has an output length of {} tokens, expected at least 0",
                                         named(request), *request.output_tokens));
}

void checkPrompt(const Request& request, int context)
{
    if (request.prompt_tokens < 1)
        throw SchedulerError(
            fmt::format("{} has a prompt of {} tokens, expected at least 1: leave it out or give it a prompt",
                        named(request), request.prompt_tokens));
    if (context > 0 && request.prompt_tokens >= context)
        throw SchedulerError(
            fmt::format("{} has a prompt of {} tokens; the model's context is {} tokens for prompt and "
                        "answer together, so a prompt may have at most {}: shorten it or leave it out",
                        named(request), request.prompt_tokens, context, context - 1));
}

std::int64_t rowBytes(const BatchNeed& need, const WorkExtent& extent)
{
    return (static_cast<std::int64_t>(extent.longest_prompt) + need.limit_steps) * extent.kv.bytes_per_token;
}

} // namespace

void checkRequests(const Workload& workload, const Capabilities& capabilities)
{
    if (workload.requests.empty())
        throw SchedulerError(
            "the workload has no requests: choose prompts or a file with at least one request");
    if (workload.lengths == LengthMode::Free && !capabilities.free_lengths)
        throw SchedulerError(
            "output lengths are free, but the simulator generates no text that could end by itself: "
            "set workload.lengths.mode to replayed, fixed or drawn");
    for (std::size_t i = 0; i < workload.requests.size(); ++i) {
        const Request& request = workload.requests[i];
        if (request.index != i)
            throw SchedulerError(fmt::format("request {} of the workload carries index {}: they must agree",
                                             i, request.index));
        if (request.arrival_ns < 0)
            throw SchedulerError(fmt::format("{} arrives at {} ns, expected 0 (the run's start) or later",
                                             named(request), request.arrival_ns));
        checkPrompt(request, capabilities.context);
        checkLength(request, workload.lengths);
    }
}

KvBudget kvBudget(const Limits& limits, const Capabilities& capabilities)
{
    KvBudget kv{limits.kv_bytes ? limits.kv_bytes : capabilities.kv_bytes, capabilities.kv_bytes_per_token,
                "raise limits.kv_bytes"};
    const bool is_free_memory = capabilities.measured && capabilities.kv_bytes &&
                                (!limits.kv_bytes || *capabilities.kv_bytes < *limits.kv_bytes);
    if (is_free_memory) {
        kv.bytes = capabilities.kv_bytes;
        kv.remedy = "free memory on the device: no more of it is free now";
    } else if (!limits.kv_bytes) {
        kv.remedy = "state limits.kv_bytes: the cost model's device has no more";
    }
    if (kv.bytes && kv.bytes_per_token <= 0)
        throw SchedulerError(
            fmt::format("limits.kv_bytes is {}, but this backend does not say how many bytes a token "
                        "takes: set limits.kv_bytes to null, or choose a cost model that states it",
                        *kv.bytes));
    return kv;
}

WorkExtent workExtent(const Workload& workload, const Limits& limits, const KvBudget& kv)
{
    WorkExtent extent{workload.requests.size(), 0, limits.max_new_tokens, kv};
    for (const Request& request : workload.requests)
        extent.longest_prompt = std::max(extent.longest_prompt, request.prompt_tokens);
    return extent;
}

void checkFits(const std::string& strategy, const BatchNeed& need, const WorkExtent& extent)
{
    if (!extent.kv.bytes) return;
    const std::int64_t row_bytes = rowBytes(need, extent);
    const std::int64_t allowed = std::max<std::int64_t>(0, *extent.kv.bytes - need.reserve_bytes);
    const std::int64_t needed = need.rows * row_bytes;
    if (needed <= allowed) return;
    const std::int64_t largest = allowed / row_bytes;
    const std::string reserve = need.reserve_bytes > 0 ? fmt::format(" ({} less a reserve of {})",
                                                                     *extent.kv.bytes, need.reserve_bytes)
                                                       : "";
    const std::string remedy = largest > 0 ? fmt::format("{} to at most {}", need.remedy, largest)
                                           : std::string("limits.max_new_tokens");
    throw SchedulerError(fmt::format(
        "strategy '{}': a batch can never fit. Needed: {} rows x ({} prompt + {} new tokens) x {} bytes = {} "
        "bytes of KV "
        "cache; allowed: {} bytes{}; the largest that fits: {} rows. Lower {}, or {}",
        strategy, need.rows, extent.longest_prompt, need.limit_steps, extent.kv.bytes_per_token, needed,
        allowed, reserve, largest, remedy, extent.kv.remedy));
}

std::optional<std::int64_t> holdableTokens(const BatchNeed& need, const WorkExtent& extent)
{
    if (!extent.kv.bytes) return std::nullopt;
    const std::int64_t left = *extent.kv.bytes - need.reserve_bytes - need.rows * rowBytes(need, extent);
    return std::max<std::int64_t>(0, left) / extent.kv.bytes_per_token;
}

} // namespace batchscope
