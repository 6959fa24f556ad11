// SPDX-License-Identifier: GPL-3.0-or-later
// Mean waits that queueing theory gives for one server and Poisson arrivals (M/G/1): what a simulated run
// with batching "none" must come out at. Waits count from arrival to the start of service; seconds
// everywhere.
#pragma once

#include <functional>
#include <optional>
#include <vector>

namespace batchscope {

// Jobs of one kind: how long each takes, how often they come, and the key by which shortest-first sorts them.
// The key is the service time itself for SJF, what a predictor says for SSJF.
struct JobClass
{
    double service_s = 0;
    double probability = 0; // of all classes together: 1
    double key = 0;
};

struct ServiceMoments
{
    double mean_s = 0;
    double mean_square = 0; // E[S^2]
};
ServiceMoments serviceMoments(const std::vector<JobClass>& classes);

// Share of the time during which the server is busy; a queue settles below 1.
double utilization(double arrivals_per_s, const ServiceMoments& service);

// First come first served: lambda E[S^2] / (2 (1 - rho)) (F. Pollaczek 1930, A. Y. Khinchine 1932; as in
// L. Kleinrock, "Queueing Systems" I (1975), 5.6). Absent where rho >= 1: the wait has no bound.
std::optional<double> fcfsMeanWait(double arrivals_per_s, const ServiceMoments& service);

// Non-preemptive, smallest key first, first come first served among equals: sum over keys k of
// P(k) W0 / ((1 - rho(< k)) (1 - rho(<= k))) with W0 = lambda E[S^2] / 2 (A. Cobham, Operations Research 2
// (1954); T. E. Phipps, ibid. 4 (1956) for shortest first). Exact for discrete lengths. Absent where rho
// >= 1.
std::optional<double> shortestFirstMeanWait(double arrivals_per_s, const std::vector<JobClass>& classes);

// The same for a density of service times on [0, most_s]: the integral over x of
// W0 f(x) / (1 - rho(x))^2, rho(x) = lambda times the integral of t f(t) up to x (Phipps 1956).
std::optional<double> shortestFirstMeanWait(double arrivals_per_s,
                                            const std::function<double(double)>& density, double most_s);

// Exponential service (M/M/1): rho / (mu - lambda). A check on the others.
std::optional<double> exponentialMeanWait(double arrivals_per_s, double services_per_s);

} // namespace batchscope
