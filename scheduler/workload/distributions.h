// SPDX-License-Identifier: GPL-3.0-or-later
// Distributions of lengths and times (cli.md, "a distribution"), drawn from the project's own generator with
// additions, products, quotients and square roots alone: one seed, one value, on every machine.
#pragma once

#include "scheduler/random.h"

#include <string>
#include <utility>
#include <vector>

namespace batchscope {

struct Distribution
{
    enum class Kind { Fixed, Uniform, Normal, Lognormal, Gamma, Zipf, Quantiles };
    Kind kind = Kind::Fixed;
    double value = 1;    // fixed
    double minimum = 1;  // uniform
    double maximum = 1;  // uniform, zipf (1 ... maximum)
    double mean = 1;     // normal, lognormal (the arithmetic mean, not the median), gamma
    double sd = 0;       // normal
    double sigma = 0;    // lognormal: standard deviation of the logarithm
    double shape = 1;    // gamma: k = 1 / cv^2
    double exponent = 1; // zipf: P(k) proportional to k^-exponent
    std::vector<std::pair<double, double>> points; // quantiles: (share, value), from share 0 to share 1

    bool operator==(const Distribution&) const = default;
};

// "fixed", "uniform", "normal", "lognormal", "gamma", "zipf", "quantiles".
std::string distributionName(Distribution::Kind kind);
std::vector<Distribution::Kind> distributionKinds();

// Draws from one distribution; what repeats (zipf's shares, say) is computed once.
class Draws
{
public:
    // `what` is named in messages ("workload.source.prompt_tokens"). Throws SchedulerError naming the
    // parameter, its value and what was expected.
    Draws(Distribution distribution, const std::string& what);

    double real(Random& random) const;
    // A whole number of at least 1: rounded to the nearest, what is below 1 becomes 1. Uniform means every
    // whole number from minimum to maximum equally often, both among them.
    int tokens(Random& random) const;
    double mean() const; // of real()
    const Distribution& distribution() const { return m_distribution; }

private:
    double gamma(Random& random) const;
    double quantile(double share) const;

    Distribution m_distribution;
    double m_log_mean = 0;       // lognormal: mean of the logarithm
    std::vector<double> m_up_to; // zipf: share of 1 ... k at position k - 1
};

// A gamma variable of mean 1 and the given shape (Marsaglia and Tsang 2000). shape > 0.
double drawGamma(Random& random, double shape);

// For people: "lognormal, mean 160, sigma 0.8", "uniform, 75 to 125".
std::string describeDistribution(const Distribution& distribution);

} // namespace batchscope
