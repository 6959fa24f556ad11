// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/workload/arrivals.h"

#include "scheduler/error.h"
#include "scheduler/portable_log.h"
#include "scheduler/random.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace batchscope {
namespace {

// A stream of its own: what else the workload's seed decides does not move the arrivals.
constexpr std::uint64_t k_arrival_stream = 1;
constexpr double k_longest_s = 9.0e9; // int64 nanoseconds end at 9.2e9 s

Nanos toNanos(double seconds, const std::string& process, double rate)
{
    if (seconds > k_longest_s)
        throw SchedulerError(
            fmt::format("arrivals: {} at {} requests/s spreads the requests over more than {:.0f} "
                        "years; choose a higher rate",
                        process, rate, k_longest_s / (365.25 * 86400)));
    return static_cast<Nanos>(std::floor(seconds * 1e9 + 0.5));
}

double checkedRate(const std::string& process, std::optional<double> rate)
{
    if (!rate)
        throw SchedulerError(fmt::format(
            "arrivals: process '{}' needs a rate in requests/s (workload.arrivals.rate)", process));
    if (!std::isfinite(*rate) || *rate <= 0)
        throw SchedulerError(fmt::format(
            "arrivals: rate is {}, expected a finite number of requests/s above 0 (for no gaps at all "
            "choose the process 'all-at-once')",
            *rate));
    return *rate;
}

} // namespace

std::vector<std::string> arrivalProcesses()
{
    return {"all-at-once", "even", "poisson"};
}

std::vector<Nanos> makeArrivals(const std::string& process, std::optional<double> rate, std::size_t count,
                                std::uint64_t seed)
{
    std::vector<Nanos> arrivals(count, 0);
    if (process == "all-at-once") return arrivals;
    if (process == "even") {
        const double per_second = checkedRate(process, rate);
        for (std::size_t i = 0; i < count; ++i)
            arrivals[i] = toNanos(static_cast<double>(i) / per_second, process, per_second);
        return arrivals;
    }
    if (process == "poisson") {
        const double per_second = checkedRate(process, rate);
        Random random(seed, k_arrival_stream);
        double at = 0.0;
        for (std::size_t i = 1; i < count; ++i) {
            at -= portableLog(random.uniform()) / per_second; // an exponential gap
            arrivals[i] = toNanos(at, process, per_second);
        }
        return arrivals;
    }
    throw SchedulerError(fmt::format("arrivals: unknown process '{}'; there are {}", process,
                                     fmt::join(arrivalProcesses(), ", ")));
}

std::string describeArrivals(const std::string& process, std::optional<double> rate)
{
    if (process == "all-at-once" || !rate) return process;
    return fmt::format("{} {}/s", process, *rate);
}

} // namespace batchscope
