// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/statistics/queueing_theory.h"

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <map>

namespace batchscope {
namespace {

using Quadrature = boost::math::quadrature::gauss_kronrod<double, 31>;

constexpr unsigned k_deep = 12;
constexpr int k_slices = 512; // of the range of service times: rho(x) is carried from one to the next

// `depth`: how often a range is halved where that helps.
double integral(const std::function<double(double)>& function, double from, double to, unsigned depth)
{
    return Quadrature::integrate(function, from, to, depth, 1e-12);
}

} // namespace

ServiceMoments serviceMoments(const std::vector<JobClass>& classes)
{
    ServiceMoments moments;
    for (const JobClass& jobs : classes) {
        moments.mean_s += jobs.probability * jobs.service_s;
        moments.mean_square += jobs.probability * jobs.service_s * jobs.service_s;
    }
    return moments;
}

double utilization(double arrivals_per_s, const ServiceMoments& service)
{
    return arrivals_per_s * service.mean_s;
}

std::optional<double> fcfsMeanWait(double arrivals_per_s, const ServiceMoments& service)
{
    const double rho = utilization(arrivals_per_s, service);
    if (rho >= 1) return std::nullopt;
    return arrivals_per_s * service.mean_square / (2 * (1 - rho));
}

std::optional<double> shortestFirstMeanWait(double arrivals_per_s, const std::vector<JobClass>& classes)
{
    const ServiceMoments all = serviceMoments(classes);
    if (utilization(arrivals_per_s, all) >= 1) return std::nullopt;
    struct Level // all jobs of one key
    {
        double probability = 0;
        double load = 0;
    };
    std::map<double, Level> levels;
    for (const JobClass& jobs : classes) {
        Level& level = levels[jobs.key];
        level.probability += jobs.probability;
        level.load += arrivals_per_s * jobs.probability * jobs.service_s;
    }
    const double residual_s = arrivals_per_s * all.mean_square / 2; // of whoever is in service
    double before = 0, wait_s = 0;
    for (const auto& [key, level] : levels) {
        const double with = before + level.load;
        wait_s += level.probability * residual_s / ((1 - before) * (1 - with));
        before = with;
    }
    return wait_s;
}

std::optional<double> shortestFirstMeanWait(double arrivals_per_s,
                                            const std::function<double(double)>& density, double most_s)
{
    const ServiceMoments all{
        integral([&](double x) { return x * density(x); }, 0, most_s, k_deep),
        integral([&](double x) { return x * x * density(x); }, 0, most_s, k_deep),
    };
    if (utilization(arrivals_per_s, all) >= 1) return std::nullopt;
    const double residual_s = arrivals_per_s * all.mean_square / 2;
    const auto load = [&](double from, double to) {
        return arrivals_per_s * integral([&](double t) { return t * density(t); }, from, to, 0);
    };
    const double width = most_s / k_slices;
    double before = 0, wait_s = 0;
    for (int slice = 0; slice < k_slices; ++slice) {
        const double from = slice * width, to = from + width;
        wait_s += integral(
            [&](double x) {
                const double free = 1 - before - load(from, x);
                return residual_s * density(x) / (free * free);
            },
            from, to, 0);
        before += load(from, to);
    }
    return wait_s;
}

std::optional<double> exponentialMeanWait(double arrivals_per_s, double services_per_s)
{
    if (arrivals_per_s >= services_per_s) return std::nullopt;
    return arrivals_per_s / services_per_s / (services_per_s - arrivals_per_s);
}

} // namespace batchscope
