// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/figure_text.h"

#include <cmath>
#include <fmt/format.h>

namespace batchscope::sessions {

namespace {

// Differences below these are called none: half of the last digit that is shown.
constexpr double k_same_ratio = 0.0005;  // of a ratio shown in tenths of a per cent
constexpr double k_same_points = 0.0005; // of a share shown in tenths of a point

struct Words
{
    const char *up, *down, *times;
};

Words wordsFor(const MetricDefinition& metric)
{
    if (metric.unit == "s" || metric.unit == "ms") return {"longer", "shorter", "as long"};
    if (metric.decimals == 0) return {"more", "fewer", "as many"};
    return {"higher", "lower", "as high"};
}

} // namespace

std::string legendOf(const std::string& table)
{
    return table.find(k_uncertain) == std::string::npos ? "" : "† 99th percentile of fewer than 100 values\n";
}

std::string grouped(double value, int decimals)
{
    if (!std::isfinite(value)) return k_no_data;
    std::string digits = fmt::format("{:.{}f}", std::abs(value), decimals);
    const auto point = std::min(digits.find('.'), digits.size());
    for (std::size_t at = point; at > 3;) {
        at -= 3;
        digits.insert(at, 1, ',');
    }
    const bool negative = value < 0 && digits.find_first_not_of("0.,") != std::string::npos;
    return negative ? "−" + digits : digits;
}

std::string percent(double share, int decimals)
{
    return grouped(share * 100, decimals) + " %";
}

std::string times(double ratio)
{
    return fmt::format("{:.2f} ×", ratio);
}

std::string figureText(const MetricDefinition& metric, const std::optional<double>& value)
{
    if (!value) return k_no_data;
    return metric.is_share ? grouped(*value * 100, 1) : grouped(*value, metric.decimals);
}

std::string unitText(const MetricDefinition& metric)
{
    return metric.is_share ? "%" : metric.unit;
}

std::string changeText(const MetricDefinition& metric, const std::optional<double>& baseline,
                       const std::optional<double>& value, int* direction)
{
    *direction = 0;
    if (!baseline || !value || !std::isfinite(*baseline) || !std::isfinite(*value)) return {};
    const double difference = *value - *baseline;
    const double ratio = *baseline != 0 ? *value / *baseline : 1;
    const bool same = metric.is_share
                          ? std::abs(difference) < k_same_points
                          : difference == 0 || (*baseline != 0 && std::abs(ratio - 1) < k_same_ratio);
    if (same) return "the same";
    if (metric.better != Better::Neither)
        *direction = (difference > 0) == (metric.better == Better::Higher) ? 1 : -1;
    if (metric.is_share)
        return fmt::format("{}{:.1f} points", difference > 0 ? "+" : "−", std::abs(difference) * 100);
    const Words words = wordsFor(metric);
    if (*baseline == 0 || ratio < 0) return difference > 0 ? words.up : words.down;
    if (ratio >= 2) return fmt::format("{} {}", times(ratio), words.times);
    return fmt::format("{:.1f} % {}", std::abs(ratio - 1) * 100, ratio > 1 ? words.up : words.down);
}

} // namespace batchscope::sessions
