// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/statistics/applied_theory.h"

#include "scheduler/batching/bins.h"
#include "scheduler/statistics/queueing_theory.h"

#include <algorithm>
#include <string>
#include <vector>

namespace batchscope {
namespace {

const ParamValue* paramOf(const PartSpec& part, const std::string& name)
{
    const auto found = part.params.find(name);
    return found == part.params.end() ? nullptr : &found->second;
}

// Absent parameters have the value 0 or null wherever this is asked.
double numberOf(const PartSpec& part, const std::string& name)
{
    const ParamValue* value = paramOf(part, name);
    if (value == nullptr) return 0;
    if (const auto* whole = std::get_if<std::int64_t>(value)) return static_cast<double>(*whole);
    const auto* real = std::get_if<double>(value);
    return real == nullptr ? 0 : *real;
}

bool servesOneAtATime(const PartSpec& batching)
{
    if (batching.type == "static")
        return numberOf(batching, "rows") == 1 && numberOf(batching, "window_s") == 0;
    if (batching.type == "continuous")
        return numberOf(batching, "slots") == 1 && paramOf(batching, "token_budget") == nullptr;
    return batching.type == "none";
}

bool isKnownOrder(const Strategy& strategy)
{
    const PartSpec& ordering = strategy.ordering;
    const bool ages = numberOf(ordering, "ageing.absolute_s") > 0 || numberOf(ordering, "ageing.factor") > 0;
    const bool costs =
        numberOf(strategy.predictor, "per_call_s") > 0 || numberOf(strategy.predictor, "per_request_s") > 0;
    if (ages || costs) return false;
    return ordering.type == "fcfs" || (ordering.type == "sjf" && strategy.predictor.type == "oracle");
}

bool isPoisson(const Workload& workload)
{
    return workload.closed_loop_clients == 0 && workload.arrivals.starts_with("poisson") &&
           std::none_of(workload.requests.begin(), workload.requests.end(),
                        [](const Request& request) { return request.follows.has_value(); });
}

// Arrivals a second: the gaps that the workload drew.
double rateOf(const Workload& workload)
{
    Nanos first = workload.requests.front().arrival_ns, last = first;
    for (const Request& request : workload.requests) {
        first = std::min(first, request.arrival_ns);
        last = std::max(last, request.arrival_ns);
    }
    return last > first ? static_cast<double>(workload.requests.size() - 1) / toSeconds(last - first) : 0;
}

} // namespace

std::optional<TheoreticalWait> theoreticalWait(const Workload& workload, const Strategy& strategy,
                                               const Backend& backend)
{
    if (workload.requests.empty() || !isPoisson(workload) || !servesOneAtATime(strategy.batching) ||
        !isKnownOrder(strategy))
        return std::nullopt;
    const int context = backend.capabilities().context;
    const double prompt_token_cost = numberOf(strategy.ordering, "prompt_token_cost");
    const double probability = 1 / static_cast<double>(workload.requests.size());
    std::vector<JobClass> classes;
    classes.reserve(workload.requests.size());
    for (const Request& request : workload.requests) {
        if (!request.output_tokens) return std::nullopt;
        const int tokens = *request.output_tokens;
        int cap = strategy.limits.max_new_tokens;
        if (context > 0) cap = std::min(cap, context - request.prompt_tokens);
        const auto service = backend.serviceAlone(request.prompt_tokens, std::min(tokens + 1, cap));
        if (!service) return std::nullopt;
        classes.push_back({toSeconds(*service), probability,
                           clampPrediction(tokens, strategy.limits.max_new_tokens) +
                               prompt_token_cost * request.prompt_tokens});
    }
    const ServiceMoments moments = serviceMoments(classes);
    const double rate = rateOf(workload);
    const auto wait =
        strategy.ordering.type == "fcfs" ? fcfsMeanWait(rate, moments) : shortestFirstMeanWait(rate, classes);
    if (!wait || rate <= 0) return std::nullopt;
    return TheoreticalWait{*wait, utilization(rate, moments)};
}

} // namespace batchscope
