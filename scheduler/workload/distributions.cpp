// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/workload/distributions.h"

#include "scheduler/error.h"
#include "scheduler/portable_log.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace batchscope {
namespace {

using Kind = Distribution::Kind;

constexpr double k_largest = 1e9;         // of a value, in tokens or seconds
constexpr double k_most_tokens = 1 << 24; // of one request: what a request file may say, too
constexpr double k_most_ranks = 1 << 22;  // zipf keeps a share for each

constexpr std::array<std::pair<Kind, const char*>, 7> k_names{{{Kind::Fixed, "fixed"},
                                                               {Kind::Uniform, "uniform"},
                                                               {Kind::Normal, "normal"},
                                                               {Kind::Lognormal, "lognormal"},
                                                               {Kind::Gamma, "gamma"},
                                                               {Kind::Zipf, "zipf"},
                                                               {Kind::Quantiles, "quantiles"}}};

// Checks the parameters of one distribution; messages name the place it was given in.
class Check
{
public:
    Check(const Distribution& distribution, const std::string& what) : m_of(distribution), m_what(what) {}

    void run() const
    {
        switch (m_of.kind) {
        case Kind::Fixed:
            return between("value", m_of.value, 0, k_largest);
        case Kind::Uniform:
            between("min", m_of.minimum, 0, k_largest);
            return between("max", m_of.maximum, m_of.minimum, k_largest);
        case Kind::Normal:
            between("mean", m_of.mean, 0, k_largest);
            return between("sd", m_of.sd, 0, k_largest);
        case Kind::Lognormal:
            above0("mean", m_of.mean, k_largest);
            return between("sigma", m_of.sigma, 0, 10);
        case Kind::Gamma:
            above0("mean", m_of.mean, k_largest);
            return between("shape", m_of.shape, 0.001, 1e6);
        case Kind::Zipf:
            between("exponent", m_of.exponent, 0, 20);
            return between("max", m_of.maximum, 1, k_most_ranks);
        case Kind::Quantiles:
            return quantiles();
        }
    }

private:
    [[noreturn]] void refuse(const std::string& name, const std::string& found,
                             const std::string& expected) const
    {
        throw SchedulerError(fmt::format("{}: {} of the {} distribution is {}, expected {}", m_what, name,
                                         distributionName(m_of.kind), found, expected));
    }
    void between(const char* name, double value, double least, double most) const
    {
        if (!(value >= least && value <= most))
            refuse(name, fmt::format("{}", value), fmt::format("a number from {} to {}", least, most));
    }
    void above0(const char* name, double value, double most) const
    {
        if (!(value > 0 && value <= most))
            refuse(name, fmt::format("{}", value), fmt::format("a number above 0 and at most {}", most));
    }
    void quantiles() const
    {
        const auto& points = m_of.points;
        if (points.size() < 2 || points.front().first != 0 || points.back().first != 1)
            refuse("points",
                   points.empty() ? "empty"
                                  : fmt::format("a list of {} from share {} to share {}", points.size(),
                                                points.front().first, points.back().first),
                   "pairs [share, value] from share 0 (the smallest value) to share 1 (the largest)");
        for (std::size_t i = 0; i < points.size(); ++i) {
            between("a value among the points", points[i].second, 0, k_largest);
            if (i == 0) continue;
            const bool rises =
                points[i].first > points[i - 1].first && points[i].second >= points[i - 1].second;
            if (!rises)
                refuse(fmt::format("point {}", i + 1),
                       fmt::format("[{}, {}]", points[i].first, points[i].second),
                       "a larger share than the point before it, and no smaller value");
        }
    }

    const Distribution& m_of;
    const std::string& m_what;
};

std::vector<double> zipfShares(double exponent, double maximum)
{
    std::vector<double> up_to;
    const auto ranks = static_cast<std::size_t>(maximum);
    up_to.reserve(ranks);
    double sum = 0;
    for (std::size_t k = 1; k <= ranks; ++k) {
        sum += portableExp(-exponent * portableLog(static_cast<double>(k)));
        up_to.push_back(sum);
    }
    for (double& share : up_to)
        share /= sum;
    return up_to;
}

double expOrZero(double x)
{
    return x < -700.0 ? 0.0 : portableExp(std::min(x, 700.0));
}

} // namespace

std::string distributionName(Kind kind)
{
    for (const auto& [each, name] : k_names)
        if (each == kind) return name;
    return "unknown";
}

std::vector<Kind> distributionKinds()
{
    std::vector<Kind> kinds;
    for (const auto& [kind, name] : k_names)
        kinds.push_back(kind);
    return kinds;
}

double drawGamma(Random& random, double shape)
{
    // Below 1 a gamma of shape k + 1 times U^(1/k) has shape k.
    if (shape < 1.0) {
        const double larger = drawGamma(random, shape + 1.0) * (shape + 1.0);
        return larger * expOrZero(portableLog(random.uniform()) / shape) / shape;
    }
    const double d = shape - 1.0 / 3.0;
    const double c = 1.0 / std::sqrt(9.0 * d);
    while (true) {
        const double x = random.normal();
        const double root = 1.0 + c * x;
        if (root <= 0.0) continue;
        const double v = root * root * root;
        if (portableLog(random.uniform()) < 0.5 * x * x + d - d * v + d * portableLog(v))
            return d * v / shape;
    }
}

Draws::Draws(Distribution distribution, const std::string& what) : m_distribution(std::move(distribution))
{
    Check(m_distribution, what).run();
    if (m_distribution.kind == Kind::Lognormal)
        m_log_mean = portableLog(m_distribution.mean) - 0.5 * m_distribution.sigma * m_distribution.sigma;
    if (m_distribution.kind == Kind::Zipf)
        m_up_to = zipfShares(m_distribution.exponent, m_distribution.maximum);
}

double Draws::quantile(double share) const
{
    const auto& points = m_distribution.points;
    const auto above = std::upper_bound(points.begin() + 1, points.end() - 1, share,
                                        [](double s, const auto& point) { return s < point.first; });
    const auto below = above - 1;
    return below->second +
           (above->second - below->second) * ((share - below->first) / (above->first - below->first));
}

double Draws::real(Random& random) const
{
    const Distribution& of = m_distribution;
    switch (of.kind) {
    case Kind::Fixed:
        return of.value;
    case Kind::Uniform:
        return of.minimum + (of.maximum - of.minimum) * random.uniform();
    case Kind::Normal:
        return std::max(0.0, of.mean + of.sd * random.normal());
    case Kind::Lognormal:
        return expOrZero(m_log_mean + of.sigma * random.normal());
    case Kind::Gamma:
        return of.mean * drawGamma(random, of.shape);
    case Kind::Zipf: {
        const auto rank = std::lower_bound(m_up_to.begin(), m_up_to.end() - 1, random.uniform());
        return static_cast<double>(rank - m_up_to.begin()) + 1.0;
    }
    case Kind::Quantiles:
        return quantile(random.uniform());
    }
    return 0;
}

int Draws::tokens(Random& random) const
{
    double drawn = 0;
    if (m_distribution.kind == Kind::Uniform) {
        const double least = std::ceil(m_distribution.minimum);
        const double most = std::max(least, std::floor(m_distribution.maximum));
        drawn = least + std::floor((most - least + 1.0) * random.uniform());
    } else {
        drawn = std::floor(real(random) + 0.5);
    }
    return static_cast<int>(std::clamp(drawn, 1.0, k_most_tokens));
}

double Draws::mean() const
{
    const Distribution& of = m_distribution;
    double sum = 0;
    switch (of.kind) {
    case Kind::Fixed:
        return of.value;
    case Kind::Uniform:
        return (of.minimum + of.maximum) / 2;
    case Kind::Normal:
    case Kind::Lognormal:
    case Kind::Gamma:
        return of.mean;
    case Kind::Zipf:
        for (std::size_t k = 0; k < m_up_to.size(); ++k)
            sum += static_cast<double>(k + 1) * (m_up_to[k] - (k > 0 ? m_up_to[k - 1] : 0.0));
        return sum;
    case Kind::Quantiles:
        for (std::size_t i = 1; i < of.points.size(); ++i)
            sum += (of.points[i].first - of.points[i - 1].first) *
                   (of.points[i].second + of.points[i - 1].second) / 2;
        return sum;
    }
    return 0;
}

std::string describeDistribution(const Distribution& of)
{
    switch (of.kind) {
    case Kind::Fixed:
        return fmt::format("always {}", of.value);
    case Kind::Uniform:
        return fmt::format("uniform, {} to {}", of.minimum, of.maximum);
    case Kind::Normal:
        return fmt::format("normal, mean {}, sd {}", of.mean, of.sd);
    case Kind::Lognormal:
        return fmt::format("lognormal, mean {}, sigma {}", of.mean, of.sigma);
    case Kind::Gamma:
        return fmt::format("gamma, mean {}, cv {:.4g} (shape {:.4g})", of.mean, 1 / std::sqrt(of.shape),
                           of.shape);
    case Kind::Zipf:
        return fmt::format("zipf, exponent {}, 1 to {}", of.exponent, of.maximum);
    case Kind::Quantiles:
        return fmt::format("quantiles through {} points, {} to {}", of.points.size(),
                           of.points.front().second, of.points.back().second);
    }
    return "unknown";
}

} // namespace batchscope
