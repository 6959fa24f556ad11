// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/workload/arrivals.h"

#include "scheduler/error.h"
#include "scheduler/portable_log.h"
#include "scheduler/workload/rate_stages.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <limits>

namespace batchscope {
namespace {

// A stream of its own: what else the workload's seed decides does not move the arrivals.
constexpr std::uint64_t k_arrival_stream = 1;
constexpr double k_longest_s = 9.0e9; // int64 nanoseconds end at 9.2e9 s
constexpr double k_even_cv = 1e-6;    // shapes above 1 / cv^2 are drawn as even spacing

[[noreturn]] void refuse(const std::string& what)
{
    throw SchedulerError("arrivals: " + what);
}

double checkedRate(const ArrivalSpec& spec)
{
    if (!spec.rate)
        refuse(fmt::format("process '{}' needs a rate in requests/s (workload.arrivals.rate)", spec.process));
    if (!std::isfinite(*spec.rate) || *spec.rate <= 0)
        refuse(fmt::format("rate is {}, expected a finite number of requests/s above 0 (for no gaps at all "
                           "choose the process 'all-at-once')",
                           *spec.rate));
    return *spec.rate;
}

using Gap = std::function<double(Random&)>; // seconds to the next arrival

Gap uniformGap(const ArrivalSpec& spec)
{
    if (spec.rate && (spec.min_gap_s || spec.max_gap_s))
        refuse("uniform takes either a rate (gaps from 0 to 2 / rate) or min_gap_s and max_gap_s, both were "
               "given; leave one out");
    if (spec.rate) {
        const double most = 2.0 / checkedRate(spec);
        return [most](Random& random) { return most * random.uniform(); };
    }
    if (!spec.min_gap_s || !spec.max_gap_s)
        refuse("process 'uniform' needs a rate in requests/s, or min_gap_s and max_gap_s in seconds");
    const double least = *spec.min_gap_s, most = *spec.max_gap_s;
    if (!(least >= 0 && std::isfinite(most) && most >= least && most > 0))
        refuse(
            fmt::format("uniform gaps from {} s to {} s; expected bounds of at least 0, the lower one first "
                        "and the upper one above 0",
                        least, most));
    return [least, most](Random& random) { return least + (most - least) * random.uniform(); };
}

Gap gapOf(const ArrivalSpec& spec)
{
    if (spec.process == "uniform") return uniformGap(spec);
    const double rate = checkedRate(spec);
    if (spec.process == "poisson")
        return [rate](Random& random) { return -portableLog(random.uniform()) / rate; };
    const double shape = gammaShape(spec);
    if (shape > 1.0 / (k_even_cv * k_even_cv)) return [rate](Random&) { return 1.0 / rate; };
    return [rate, shape](Random& random) { return drawGamma(random, shape) / rate; };
}

// Seconds from the first request, which arrives at 0.
std::vector<double> drawnTimes(const ArrivalSpec& spec, std::size_t count, Random random)
{
    const Gap gap = gapOf(spec);
    std::vector<double> times(count, 0.0);
    std::vector<double> gaps(count > 0 ? count - 1 : 0);
    for (double& each : gaps)
        each = gap(random);
    if (spec.sorted_gaps) std::sort(gaps.begin(), gaps.end());
    for (std::size_t i = 1; i < count; ++i)
        times[i] = times[i - 1] + gaps[i - 1];
    return times;
}

// Gaps as drawn, in another unit: their mean is then 1 / rate exactly.
void rescale(std::vector<double>& times, const ArrivalSpec& spec)
{
    if (times.size() < 2 || times.back() <= 0) return;
    const double mean_gap = spec.rate ? 1.0 / *spec.rate : (*spec.min_gap_s + *spec.max_gap_s) / 2;
    const double factor = mean_gap * static_cast<double>(times.size() - 1) / times.back();
    for (double& time : times)
        time *= factor;
}

std::vector<Nanos> toNanos(const std::vector<double>& times, const ArrivalSpec& spec)
{
    std::vector<Nanos> arrivals;
    arrivals.reserve(times.size());
    for (const double seconds : times) {
        if (!(seconds <= k_longest_s))
            refuse(fmt::format("{} spreads the requests over more than {:.0f} years; choose a higher rate",
                               describeArrivals(spec), k_longest_s / (365.25 * 86400)));
        arrivals.push_back(static_cast<Nanos>(std::floor(seconds * 1e9 + 0.5)));
    }
    return arrivals;
}

std::string rateText(const ArrivalSpec& spec)
{
    return spec.rate ? fmt::format("{} {}/s", spec.process, *spec.rate) : spec.process;
}

std::string thinkText(const ArrivalSpec& spec)
{
    return spec.think_s ? fmt::format(", think time in s: {}", describeDistribution(*spec.think_s)) : "";
}

std::string bodyText(const ArrivalSpec& spec)
{
    if (spec.process == "all-at-once") return spec.process;
    if (spec.process == "gamma" && (spec.cv || spec.shape)) {
        const double shape = gammaShape(spec);
        if (std::isinf(shape)) return rateText(spec) + ", cv 0 (shape inf: even)";
        return rateText(spec) + fmt::format(", cv {:.4g} (shape {:.4g})", 1 / std::sqrt(shape), shape);
    }
    if (spec.process == "uniform" && spec.rate)
        return rateText(spec) + fmt::format(", gaps from 0 to {:.4g} s", 2 / *spec.rate);
    if (spec.process == "uniform" && spec.min_gap_s && spec.max_gap_s)
        return fmt::format("uniform, gaps from {} to {} s", *spec.min_gap_s, *spec.max_gap_s);
    if (spec.process == "stages") return describeStages(spec);
    if (spec.process == "trace")
        return spec.speed == 1 ? "trace" : fmt::format("trace, {} times as fast", spec.speed);
    if (spec.process == "closed-loop")
        return fmt::format("closed loop of {} client{}", spec.clients, spec.clients == 1 ? "" : "s");
    return rateText(spec);
}

} // namespace

std::vector<std::string> arrivalProcesses()
{
    return {"all-at-once", "even", "poisson", "gamma", "uniform", "stages", "trace", "closed-loop"};
}

bool needsRate(const std::string& process)
{
    return process == "even" || process == "poisson" || process == "gamma";
}

double gammaShape(const ArrivalSpec& spec)
{
    if (spec.cv && spec.shape)
        refuse(
            fmt::format("gamma takes cv or shape, both were given (cv {}, shape {}); leave one out, they are "
                        "tied by shape = 1 / cv^2",
                        *spec.cv, *spec.shape));
    if (!spec.cv && !spec.shape)
        refuse("process 'gamma' needs cv, the gaps' coefficient of variation (1: Poisson, above: bursts), or "
               "shape = 1 / cv^2");
    const char* name = spec.cv ? "cv" : "shape";
    const double given = spec.cv ? *spec.cv : *spec.shape;
    const bool infinite_shape = spec.shape && std::isinf(given) && given > 0;
    if (!(given > 0) || (std::isinf(given) && !infinite_shape))
        refuse(
            fmt::format("{} is {}, expected a number above 0 (even spacing: shape inf or the process 'even')",
                        name, given));
    const double shape = spec.cv ? 1.0 / (given * given) : given;
    if (shape < 0.001)
        refuse(
            fmt::format("{} is {}, that is a shape of {}; gaps that uneven cannot be drawn, expected a shape "
                        "of at least 0.001 (cv at most 31.6)",
                        name, given, shape));
    return shape;
}

std::vector<Nanos> makeArrivals(const ArrivalSpec& spec, std::size_t count, std::uint64_t seed)
{
    const std::string& process = spec.process;
    if (process == "closed-loop" && spec.clients < 1)
        refuse(fmt::format("a closed loop of {} clients; expected at least 1 (workload.arrivals.clients)",
                           spec.clients));
    if (process == "trace" && !(spec.speed > 0 && std::isfinite(spec.speed)))
        refuse(fmt::format("speed is {}, expected a number above 0 (2 is twice as fast)", spec.speed));
    const bool has_gaps = process == "poisson" || process == "gamma" || process == "uniform";
    if (spec.exact_mean_rate && !has_gaps && process != "even")
        refuse(fmt::format(
            "exact_mean_rate rescales drawn gaps, and process '{}' has none; leave it out or choose "
            "poisson, gamma or uniform",
            process));
    if (process == "all-at-once" || process == "closed-loop" || process == "trace")
        return std::vector<Nanos>(count, 0);
    const auto known = arrivalProcesses();
    if (std::find(known.begin(), known.end(), process) == known.end())
        refuse(fmt::format("unknown process '{}'; there are {}", process, fmt::join(known, ", ")));
    Random random(seed, k_arrival_stream);
    if (process == "stages") return toNanos(stageTimes(spec, count, random), spec);
    if (process == "even") {
        const double rate = checkedRate(spec);
        std::vector<double> times(count);
        for (std::size_t i = 0; i < count; ++i)
            times[i] = static_cast<double>(i) / rate;
        return toNanos(times, spec);
    }
    auto times = drawnTimes(spec, count, random);
    if (spec.exact_mean_rate) rescale(times, spec);
    if (spec.whole_seconds)
        for (double& time : times)
            time = std::floor(time);
    return toNanos(times, spec);
}

std::string describeArrivals(const ArrivalSpec& spec)
{
    std::string text = bodyText(spec) + thinkText(spec);
    if (spec.exact_mean_rate) text += ", rescaled to exactly this mean rate";
    if (spec.sorted_gaps) text += ", gaps sorted as published (compat J-2)";
    if (spec.whole_seconds) text += ", by whole seconds as published (compat J-3)";
    return text;
}

} // namespace batchscope
