// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/metrics/agreement.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace batchscope {

namespace {

constexpr std::int64_t pairsOf(std::int64_t n)
{
    return n * (n - 1) / 2;
}

// Sum over runs of equal neighbours of the pairs within each.
template <typename Equal>
std::int64_t tiedPairs(std::size_t n, Equal equal)
{
    std::int64_t sum = 0;
    std::int64_t run = 1;
    for (std::size_t i = 1; i <= n; ++i) {
        if (i < n && equal(i - 1, i)) {
            ++run;
            continue;
        }
        sum += pairsOf(run);
        run = 1;
    }
    return sum;
}

// Sorts and counts the pairs that stood in strictly descending order (merge sort).
std::int64_t sortCountingInversions(std::vector<double>& values)
{
    std::int64_t inversions = 0;
    std::vector<double> merged(values.size());
    for (std::size_t width = 1; width < values.size(); width *= 2) {
        for (std::size_t low = 0; low < values.size(); low += 2 * width) {
            const std::size_t middle = std::min(low + width, values.size());
            const std::size_t high = std::min(low + 2 * width, values.size());
            std::size_t left = low, right = middle;
            for (std::size_t out = low; out < high; ++out) {
                if (right == high || (left < middle && values[left] <= values[right])) {
                    merged[out] = values[left++];
                } else {
                    inversions += static_cast<std::int64_t>(middle - left);
                    merged[out] = values[right++];
                }
            }
        }
        values.swap(merged);
    }
    return inversions;
}

// Ranks from 1; equals share the mean of theirs.
std::vector<double> averageRanks(std::span<const double> values)
{
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t i, std::size_t j) { return values[i] < values[j]; });
    std::vector<double> ranks(values.size());
    for (std::size_t first = 0; first < order.size();) {
        std::size_t end = first + 1;
        while (end < order.size() && values[order[end]] == values[order[first]])
            ++end;
        const double rank = static_cast<double>(first + end + 1) / 2.0;
        for (std::size_t i = first; i < end; ++i)
            ranks[order[i]] = rank;
        first = end;
    }
    return ranks;
}

double mean(std::span<const double> values)
{
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

} // namespace

PairCounts countPairs(std::span<const double> a, std::span<const double> b)
{
    const std::size_t n = std::min(a.size(), b.size());
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t i, std::size_t j) { return a[i] < a[j] || (a[i] == a[j] && b[i] < b[j]); });
    PairCounts counts;
    counts.pairs = pairsOf(static_cast<std::int64_t>(n));
    counts.tied_a = tiedPairs(n, [&](std::size_t i, std::size_t j) { return a[order[i]] == a[order[j]]; });
    counts.tied_both = tiedPairs(n, [&](std::size_t i, std::size_t j) {
        return a[order[i]] == a[order[j]] && b[order[i]] == b[order[j]];
    });
    std::vector<double> sorted(n);
    std::transform(order.begin(), order.end(), sorted.begin(), [&](std::size_t i) { return b[i]; });
    counts.discordant = sortCountingInversions(sorted);
    counts.tied_b = tiedPairs(n, [&](std::size_t i, std::size_t j) { return sorted[i] == sorted[j]; });
    return counts;
}

std::optional<double> kendallTauB(std::span<const double> a, std::span<const double> b)
{
    const PairCounts counts = countPairs(a, b);
    const std::int64_t untied_a = counts.pairs - counts.tied_a;
    const std::int64_t untied_b = counts.pairs - counts.tied_b;
    if (untied_a == 0 || untied_b == 0) return std::nullopt;
    const std::int64_t ordered = counts.pairs - counts.tied_a - counts.tied_b + counts.tied_both;
    return static_cast<double>(ordered - 2 * counts.discordant) /
           (std::sqrt(static_cast<double>(untied_a)) * std::sqrt(static_cast<double>(untied_b)));
}

std::optional<double> pearson(std::span<const double> a, std::span<const double> b)
{
    const std::size_t n = std::min(a.size(), b.size());
    if (n < 2) return std::nullopt;
    const double mean_a = mean(a.first(n)), mean_b = mean(b.first(n));
    double aa = 0, bb = 0, ab = 0;
    for (std::size_t i = 0; i < n; ++i) {
        aa += (a[i] - mean_a) * (a[i] - mean_a);
        bb += (b[i] - mean_b) * (b[i] - mean_b);
        ab += (a[i] - mean_a) * (b[i] - mean_b);
    }
    if (aa == 0 || bb == 0) return std::nullopt;
    return ab / std::sqrt(aa * bb);
}

std::optional<double> spearman(std::span<const double> a, std::span<const double> b)
{
    const std::size_t n = std::min(a.size(), b.size());
    return pearson(averageRanks(a.first(n)), averageRanks(b.first(n)));
}

PredictionError predictionError(std::span<const double> predicted, std::span<const double> actual)
{
    PredictionError error;
    const std::size_t n = std::min(predicted.size(), actual.size());
    error.n = static_cast<std::int64_t>(n);
    if (n == 0) return error;
    double absolute = 0, squares = 0, spread = 0;
    std::int64_t within_50 = 0, within_100 = 0, under = 0;
    const double mean_actual = mean(actual.first(n));
    for (std::size_t i = 0; i < n; ++i) {
        const double miss = predicted[i] - actual[i];
        absolute += std::abs(miss);
        squares += miss * miss;
        spread += (actual[i] - mean_actual) * (actual[i] - mean_actual);
        if (std::abs(miss) <= 50) ++within_50;
        if (std::abs(miss) <= 100) ++within_100;
        if (miss < 0) ++under;
    }
    const auto count = static_cast<double>(n);
    error.mae = absolute / count;
    error.rmse = std::sqrt(squares / count);
    if (spread > 0) error.r2 = 1.0 - squares / spread;
    error.acc50 = static_cast<double>(within_50) / count;
    error.acc100 = static_cast<double>(within_100) / count;
    error.under_prediction_rate = static_cast<double>(under) / count;
    error.kendall_tau_b = kendallTauB(predicted, actual);
    error.spearman = spearman(predicted, actual);
    return error;
}

} // namespace batchscope
