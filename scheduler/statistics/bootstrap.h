// SPDX-License-Identifier: GPL-3.0-or-later
// What a handful of repetitions can say: an estimate with an interval drawn from the values themselves
// (bootstrap), and a note where they are too few.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

namespace batchscope {

struct Interval
{
    double low = 0;
    double high = 0;
    bool holds(double value) const { return low <= value && value <= high; }
    bool operator==(const Interval&) const = default;
};

// Percentile: the middle `level` of the resampled statistics. Bca: corrected for bias and skew (B. Efron,
// "Better bootstrap confidence intervals", JASA 82 (1987)); its jackknife wants a smooth statistic, so a mean
// rather than a median.
enum class BootstrapMethod { Percentile, Bca };

struct BootstrapOptions
{
    double level = 0.95;
    int resamples = 2000;
    std::uint64_t seed = 1; // same values, same seed: same interval
    BootstrapMethod method = BootstrapMethod::Percentile;
};

using Statistic = std::function<double(std::span<const double>)>; // of at least one value

double meanOf(std::span<const double> values);
double medianOf(std::span<const double> values); // linear interpolation, as every percentile here

// Absent for fewer than two values: one value says nothing of its spread.
std::optional<Interval> bootstrapInterval(std::span<const double> values, const Statistic& statistic,
                                          const BootstrapOptions& options);

// Of fewer values than these the least and the greatest are all that can honestly be told.
inline constexpr std::int64_t k_fewest_for_interval = 5;

struct Estimate
{
    std::optional<double> value;      // the median; absent without values
    std::optional<Interval> range;    // least and greatest; absent for fewer than two values
    std::optional<Interval> interval; // of the median; absent for fewer than k_fewest_for_interval values
    std::int64_t n = 0;
    std::string note; // why the interval is absent or narrower than it claims; empty where nothing is wrong
    const std::optional<Interval>& spread() const { return interval ? interval : range; }
    bool operator==(const Estimate&) const = default;
};

// Median over repetitions.
Estimate medianEstimate(std::span<const double> values, const BootstrapOptions& options = {});

// What is wrong with an interval of so many values at that level; empty where nothing is. The widest interval
// of order statistics, from the least to the greatest value, holds the median with probability 1 - 2^(1-n)
// (H. A. David, "Order Statistics", 2.5): below the level, no interval drawn from the values can keep its
// word.
std::string tooFewNote(std::int64_t n, double level);

} // namespace batchscope
