// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/metrics/summary.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace batchscope {

namespace {

// Linear interpolation at rank p * (n - 1) of n ascending values, value(i) being the i-th.
template <typename Value>
double atRank(std::int64_t n, double p, Value value)
{
    const double rank = std::clamp(p, 0.0, 1.0) * static_cast<double>(n - 1);
    const double below = std::floor(rank);
    const auto index = static_cast<std::int64_t>(below);
    const double lower = value(index);
    if (index + 1 >= n) return lower;
    return lower + (value(index + 1) - lower) * (rank - below);
}

template <typename Value>
Summary summaryOf(std::int64_t n, double mean, Value value)
{
    Summary summary;
    summary.n = n;
    if (n == 0) return summary;
    summary.mean = mean;
    summary.median = summary.p50 = atRank(n, 0.50, value);
    summary.p90 = atRank(n, 0.90, value);
    summary.p95 = atRank(n, 0.95, value);
    summary.p99 = atRank(n, 0.99, value);
    return summary;
}

} // namespace

std::optional<double> percentile(std::span<const double> sorted, double p)
{
    if (sorted.empty()) return std::nullopt;
    return atRank(static_cast<std::int64_t>(sorted.size()), p,
                  [&](std::int64_t i) { return sorted[static_cast<std::size_t>(i)]; });
}

Summary summarize(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    return summaryOf(static_cast<std::int64_t>(values.size()), sum / static_cast<double>(values.size()),
                     [&](std::int64_t i) { return values[static_cast<std::size_t>(i)]; });
}

Summary summarizeWeighted(std::vector<WeightedNanos> values)
{
    std::sort(values.begin(), values.end(),
              [](const WeightedNanos& a, const WeightedNanos& b) { return a.value_ns < b.value_ns; });
    std::vector<std::int64_t> up_to(values.size()); // how many pooled values lie up to and including each
    std::int64_t n = 0;
    Nanos sum_ns = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        n += values[i].weight;
        sum_ns += values[i].value_ns * values[i].weight;
        up_to[i] = n;
    }
    return summaryOf(n, toSeconds(sum_ns) / static_cast<double>(n), [&](std::int64_t rank) {
        const auto found = std::upper_bound(up_to.begin(), up_to.end(), rank);
        return toSeconds(values[static_cast<std::size_t>(found - up_to.begin())].value_ns);
    });
}

} // namespace batchscope
