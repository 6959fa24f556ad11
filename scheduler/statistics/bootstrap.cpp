// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/statistics/bootstrap.h"

#include "scheduler/metrics/metrics.h"
#include "scheduler/random.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <vector>

namespace batchscope {
namespace {

std::vector<double> resampledStatistics(std::span<const double> values, const Statistic& statistic,
                                        const BootstrapOptions& options)
{
    Random random(options.seed);
    const auto n = static_cast<std::uint32_t>(values.size());
    std::vector<double> drawn(values.size());
    std::vector<double> statistics(static_cast<std::size_t>(std::max(1, options.resamples)));
    for (double& one : statistics) {
        for (double& value : drawn)
            value = values[random.below(n)];
        one = statistic(drawn);
    }
    std::sort(statistics.begin(), statistics.end());
    return statistics;
}

// A sixth of the third moment of the jackknife values, standardised: how fast the statistic's spread changes.
double acceleration(std::span<const double> values, const Statistic& statistic)
{
    std::vector<double> left_out(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        std::vector<double> others(values.begin(), values.end());
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
        left_out[i] = statistic(others);
    }
    const double mean = meanOf(left_out);
    double squares = 0, cubes = 0;
    for (const double value : left_out) {
        squares += (mean - value) * (mean - value);
        cubes += (mean - value) * (mean - value) * (mean - value);
    }
    return squares > 0 ? cubes / (6 * std::pow(squares, 1.5)) : 0;
}

// Which share of the sorted statistics stands at the plain share `p`, once bias and skew are corrected.
class Correction
{
public:
    Correction(std::span<const double> values, const Statistic& statistic, const std::vector<double>& sorted)
        : m_acceleration(acceleration(values, statistic))
    {
        const double own = statistic(values);
        const auto below =
            static_cast<double>(std::lower_bound(sorted.begin(), sorted.end(), own) - sorted.begin());
        const auto up_to =
            static_cast<double>(std::upper_bound(sorted.begin(), sorted.end(), own) - sorted.begin());
        const auto all = static_cast<double>(sorted.size());
        const double share = std::clamp((below + up_to) / 2 / all, 0.5 / all, 1 - 0.5 / all);
        m_bias = boost::math::quantile(m_normal, share);
    }
    double operator()(double p) const
    {
        const double moved = m_bias + boost::math::quantile(m_normal, p);
        return boost::math::cdf(m_normal, m_bias + moved / (1 - m_acceleration * moved));
    }

private:
    boost::math::normal m_normal;
    double m_acceleration = 0;
    double m_bias = 0;
};

} // namespace

double meanOf(std::span<const double> values)
{
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double medianOf(std::span<const double> values)
{
    std::vector<double> sorted(values.begin(), values.end());
    std::sort(sorted.begin(), sorted.end());
    return percentile(sorted, 0.5).value_or(0);
}

std::optional<Interval> bootstrapInterval(std::span<const double> values, const Statistic& statistic,
                                          const BootstrapOptions& options)
{
    if (values.size() < 2) return std::nullopt;
    const std::vector<double> sorted = resampledStatistics(values, statistic, options);
    const double tail = (1 - options.level) / 2;
    double low = tail, high = 1 - tail;
    if (options.method == BootstrapMethod::Bca) {
        const Correction corrected(values, statistic, sorted);
        low = corrected(low);
        high = corrected(high);
    }
    return Interval{*percentile(sorted, low), *percentile(sorted, high)};
}

Estimate medianEstimate(std::span<const double> values, const BootstrapOptions& options)
{
    Estimate estimate;
    estimate.n = static_cast<std::int64_t>(values.size());
    estimate.note = tooFewNote(estimate.n, options.level);
    if (values.empty()) return estimate;
    estimate.value = medianOf(values);
    if (estimate.n < 2) return estimate;
    const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
    estimate.range = Interval{*least, *greatest};
    if (estimate.n >= k_fewest_for_interval) estimate.interval = bootstrapInterval(values, medianOf, options);
    return estimate;
}

std::string tooFewNote(std::int64_t n, double level)
{
    if (n == 0) return "no repetition has this figure";
    if (n == 1) return "one repetition: no interval; run more, over other seeds";
    std::int64_t enough = 2;
    while (1 - std::exp2(static_cast<double>(1 - enough)) < level)
        ++enough;
    if (n >= enough) return {};
    if (n < k_fewest_for_interval)
        return fmt::format(
            "{} repetitions are too few for an interval: their range is shown, which holds the "
            "median with {:.3g} %; take at least {}",
            n, (1 - std::exp2(static_cast<double>(1 - n))) * 100, enough);
    return fmt::format("{} repetitions are too few for an interval of {:g} %: even from the least to the "
                       "greatest they hold the median with {:.3g} %; take at least {}",
                       n, level * 100, (1 - std::exp2(static_cast<double>(1 - n))) * 100, enough);
}

} // namespace batchscope
