// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/statistics/hints.h"

#include "scheduler/metrics/metrics.h"
#include "scheduler/metrics/occupancy.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace batchscope {
namespace {

constexpr std::size_t k_least_requests = 20;
constexpr double k_keeps_up = 0.95; // of the arrivals answered while they arrive

double overlapSeconds(TimeSpan a, TimeSpan b)
{
    return toSeconds(std::max<Nanos>(0, std::min(a.to_ns, b.to_ns) - std::max(a.from_ns, b.from_ns)));
}

// Mean number of requests, over `span`, of which each counts from its arrival until `until` says.
template <typename Until>
double meanNumber(const std::vector<RequestFigures>& requests, TimeSpan span, Until until)
{
    double seconds = 0;
    for (const RequestFigures& request : requests)
        seconds += overlapSeconds({request.arrival_ns, until(request)}, span);
    return seconds / toSeconds(span.to_ns - span.from_ns);
}

std::string loadWords(const LoadHint& hint)
{
    if (hint.is_saturated)
        return fmt::format(
            "Saturated: {:.3g} requests/s arrived, {:.3g} requests/s were answered meanwhile, and "
            "the queue grew from {:.1f} to {:.1f} requests. Latencies then tell how long the run "
            "was, not how good the strategy is: lower the rate, or compare throughput.",
            hint.arrival_rate, hint.completion_rate, hint.waiting_first_half, hint.waiting_second_half);
    if (hint.is_growing)
        return fmt::format(
            "The queue grew from {:.1f} to {:.1f} requests while requests arrived: it may not have "
            "settled; take more requests, or leave out a warm-up.",
            hint.waiting_first_half, hint.waiting_second_half);
    return fmt::format("It kept up: {:.3g} requests/s arrived, {:.3g} requests/s were answered meanwhile, "
                       "{:.1f} waited on average.",
                       hint.arrival_rate, hint.completion_rate,
                       (hint.waiting_first_half + hint.waiting_second_half) / 2);
}

} // namespace

std::optional<LoadHint> loadHint(std::span<const Event> log)
{
    const std::vector<RequestFigures> requests = requestFigures(log);
    if (requests.size() < k_least_requests) return std::nullopt;
    const auto [first, last] = std::minmax_element(
        requests.begin(), requests.end(),
        [](const RequestFigures& a, const RequestFigures& b) { return a.arrival_ns < b.arrival_ns; });
    const TimeSpan span{first->arrival_ns, last->arrival_ns};
    const double length_s = toSeconds(span.to_ns - span.from_ns);
    if (length_s <= 0) return std::nullopt;

    const Nanos middle_ns = span.from_ns + (span.to_ns - span.from_ns) / 2;
    const Nanos end_ns = log.back().at_ns;
    const auto scheduled = [end_ns](const RequestFigures& r) { return r.scheduled_ns.value_or(end_ns); };
    const auto answered =
        std::count_if(requests.begin(), requests.end(), [&span](const RequestFigures& request) {
            return request.completed_ns && *request.completed_ns <= span.to_ns;
        });
    LoadHint hint;
    hint.arrival_rate = static_cast<double>(requests.size() - 1) / length_s;
    hint.completion_rate = static_cast<double>(answered) / length_s;
    hint.waiting_first_half = meanNumber(requests, {span.from_ns, middle_ns}, scheduled);
    hint.waiting_second_half = meanNumber(requests, {middle_ns, span.to_ns}, scheduled);
    hint.is_growing = hint.waiting_second_half > 2 * hint.waiting_first_half &&
                      hint.waiting_second_half - hint.waiting_first_half >= 1;
    hint.is_saturated = hint.is_growing && hint.completion_rate < k_keeps_up * hint.arrival_rate;
    hint.words = loadWords(hint);
    return hint;
}

std::optional<LittlesLaw> littlesLaw(std::span<const Event> log)
{
    const std::vector<RequestFigures> requests = requestFigures(log);
    if (requests.empty()) return std::nullopt;
    Nanos from_ns = requests.front().arrival_ns, to_ns = from_ns;
    double sojourns_s = 0;
    std::int64_t answered = 0;
    for (const RequestFigures& request : requests) {
        from_ns = std::min(from_ns, request.arrival_ns);
        to_ns = std::max({to_ns, request.arrival_ns, request.completed_ns.value_or(log.back().at_ns)});
        if (!request.completed_ns) continue;
        sojourns_s += toSeconds(*request.completed_ns - request.arrival_ns);
        ++answered;
    }
    if (answered == 0 || to_ns == from_ns) return std::nullopt;
    LittlesLaw law;
    law.in_system = meanNumber(requests, {from_ns, to_ns},
                               [to_ns](const RequestFigures& r) { return r.completed_ns.value_or(to_ns); });
    law.arrival_rate = static_cast<double>(requests.size()) / toSeconds(to_ns - from_ns);
    law.time_in_system_s = sojourns_s / static_cast<double>(answered);
    law.words =
        fmt::format("Little's law: {:.3g} requests/s that spend {:.3g} s each are {:.3g} in flight; the log "
                    "holds {:.3g} on average.",
                    law.arrival_rate, law.time_in_system_s, law.product(), law.in_system);
    if (answered < static_cast<std::int64_t>(requests.size()))
        law.words += fmt::format(" {} of {} requests were not answered and have no time in the system yet.",
                                 requests.size() - static_cast<std::size_t>(answered), requests.size());
    return law;
}

std::optional<OfferedLoad> offeredLoad(const Workload& workload, const Strategy& strategy,
                                       const Backend& backend)
{
    if (workload.requests.size() < 2 || workload.closed_loop_clients > 0) return std::nullopt;
    const int context = backend.capabilities().context;
    Nanos first = workload.requests.front().arrival_ns, last = first;
    double services_s = 0;
    for (const Request& request : workload.requests) {
        if (!request.output_tokens || request.follows) return std::nullopt;
        first = std::min(first, request.arrival_ns);
        last = std::max(last, request.arrival_ns);
        int cap = strategy.limits.max_new_tokens;
        if (context > 0) cap = std::min(cap, context - request.prompt_tokens);
        const auto service =
            backend.serviceAlone(request.prompt_tokens, std::min(*request.output_tokens + 1, cap));
        if (!service) return std::nullopt;
        services_s += toSeconds(*service);
    }
    if (last <= first) return std::nullopt;
    const auto n = static_cast<double>(workload.requests.size());
    return OfferedLoad{(n - 1) / toSeconds(last - first), services_s / n};
}

std::string offeredWords(const OfferedLoad& offered, std::int64_t slots)
{
    const std::string words = inFlightHint(offered.rate_per_s, offered.service_s);
    if (slots < 1) return words;
    const double rho = offered.rate_per_s * offered.service_s / static_cast<double>(slots);
    return words + fmt::format(" With {} slot{} rho is at least {:.2f}{}.", slots, slots == 1 ? "" : "s", rho,
                               rho >= 1 ? ": the queue grows for as long as requests arrive" : "");
}

std::string inFlightHint(double rate, double service_s)
{
    return fmt::format(
        "{:.3g} requests/s that take {:.3g} s each: about {:.3g} are in flight at any time (Little's "
        "law), unless they have to wait; fewer slots than that cannot keep up.",
        rate, service_s, rate * service_s);
}

} // namespace batchscope
