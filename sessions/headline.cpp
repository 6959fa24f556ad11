// SPDX-License-Identifier: GPL-3.0-or-later
// One sentence at the top, no firmer than what it rests on.
#include "sessions/figure_text.h"
#include "sessions/repetitions.h"
#include "sessions/why.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace batchscope::sessions {

namespace {

constexpr std::int64_t k_fewest_requests = 30;
// By how much a measured rate may change from one repetition to the next on a machine that does nothing else
// (metrics.md allows as much between watched and unwatched runs).
constexpr double k_measuring_noise = 0.05;

double rateOf(const RunRecord& run)
{
    return run.metrics->output_token_throughput.value_or(0);
}

bool hasRate(const RunRecord& run)
{
    return isWhole(run) && run.metrics && run.metrics->output_token_throughput;
}

struct Range
{
    std::size_t runs = 0;
    double least = 0, most = 0;
    std::string text() const { return fmt::format("{} to {}", grouped(least, 1), grouped(most, 1)); }
};

// One strategy on one workload, executed alike.
bool isSameWork(const RunRecord& run, const RunRecord& other)
{
    return other.strategy == run.strategy && other.workload_hash == run.workload_hash &&
           other.provenance == run.provenance;
}

// Of the repetitions of the run's strategy; of the run itself where it is the only one.
Range ratesOf(const RunRecord& run, const std::vector<RunRecord>& repetitions)
{
    Range range{1, rateOf(run), rateOf(run)};
    std::size_t alike = 0;
    for (const auto& other : repetitions) {
        if (!hasRate(other) || !isSameWork(run, other)) continue;
        ++alike;
        range.least = std::min(range.least, rateOf(other));
        range.most = std::max(range.most, rateOf(other));
    }
    range.runs = std::max(range.runs, alike);
    return range;
}

std::string tooFew(const RunRecord& base, const RunRecord& best, std::int64_t requests)
{
    return fmt::format("{} {} too few to tell which is better ({} or more are needed): {}.", requests,
                       requests == 1 ? "request is" : "requests are", k_fewest_requests,
                       rateSentence(base, best));
}

// Why no rate can say which of the two is the better strategy; empty where one can.
std::string notOneContest(const RunRecord& base, const RunRecord& best)
{
    if (isSameWork(base, best)) return fmt::format("{} and {} ran the same strategy", best.name, base.name);
    if (base.provenance.measured != best.provenance.measured ||
        base.provenance.cost_model != best.provenance.cost_model)
        return fmt::format("{} is {} and {} {}", best.name, best.provenance.sentence(), base.name,
                           base.provenance.sentence());
    if (base.workload_hash != best.workload_hash)
        return fmt::format("{} and {} answered different requests", best.name, base.name);
    return {};
}

// The rates of a run's repetitions over workloads of their own, by seed.
std::vector<Repeated> ratesBySeed(const RunRecord& run, const std::vector<RunRecord>& repetitions)
{
    std::vector<Repeated> rates;
    for (const auto& other : repetitions)
        if (hasRate(other) && other.experiment == run.experiment && other.order == run.order &&
            other.strategy == run.strategy && other.provenance == run.provenance)
            rates.push_back({other.seed, rateOf(other)});
    return rates;
}

// Over workloads of their own only pairs of the same workload tell anything.
std::string overWorkloads(const RunRecord& base, const RunRecord& best, const PairedDifference& paired)
{
    const auto bound = [](double value) { return (value > 0 ? "+" : "") + grouped(value, 1); };
    const Estimate& difference = paired.difference;
    const std::string pairs =
        fmt::format("over {} workloads the difference is {} tokens/s, {} {} to {}", difference.n,
                    bound(*difference.value), difference.interval ? "95 % interval" : "range",
                    bound(difference.spread()->low), bound(difference.spread()->high));
    if (difference.spread()->low == difference.spread()->high) return rateSentence(base, best) + ".";
    if (paired.isOpen())
        return fmt::format("Within noise: {}, so that neither {} nor {} can be called better.", pairs,
                           best.name, base.name);
    return fmt::format("{}; {}.", rateSentence(base, best), pairs);
}

// What may be said of the best against the baseline: both are whole and have rates.
std::string verdict(const RunRecord& base, const RunRecord& best, const Evidence& evidence, double pass_gap)
{
    const auto requests = std::min(base.metrics->completed, best.metrics->completed);
    if (requests < k_fewest_requests) return tooFew(base, best, requests);
    const std::string sentence = rateSentence(base, best);
    if (const std::string reason = notOneContest(base, best); !reason.empty())
        return fmt::format("{}, so that the rates do not tell which strategy is better: {}.", reason,
                           sentence);
    const PairedDifference paired =
        pairedDifference(ratesBySeed(base, evidence.repetitions), ratesBySeed(best, evidence.repetitions));
    if (paired.difference.n > 1) return overWorkloads(base, best, paired);
    if (!base.provenance.measured && !best.provenance.measured) return sentence + "."; // repeats to the byte
    const Range a = ratesOf(base, evidence.repetitions), b = ratesOf(best, evidence.repetitions);
    if (a.runs > 1 && b.runs > 1) {
        if (a.least <= b.most && b.least <= a.most)
            return fmt::format("The repetitions overlap, it is too close to tell which is better: {} gave {} "
                               "useful tokens a second, {} {}.",
                               best.name, b.text(), base.name, a.text());
        return fmt::format("{}; all {} repetitions lie apart, {} against {}.", sentence, a.runs + b.runs,
                           b.text(), a.text());
    }
    const double noise = std::max(k_measuring_noise, std::abs(pass_gap));
    if (rateOf(base) > 0 && std::abs(rateOf(best) / rateOf(base) - 1) <= noise)
        return fmt::format(
            "One repetition is too few to tell which is better, a measurement may be off by {}: "
            "{}.",
            percent(noise, 0), sentence);
    return sentence + ", one repetition each.";
}

// The sentence about runs that did not end.
std::string unfinished(const std::vector<RunRecord>& runs)
{
    std::string text;
    for (std::size_t i = 1; i < runs.size(); ++i)
        if (!isWhole(runs[i])) text += fmt::format(" {} {}: it is not ranked.", runs[i].name, endOf(runs[i]));
    return text;
}

std::string ofOne(const RunRecord& run)
{
    if (!isWhole(run)) return fmt::format("{} {}.", run.name, endOf(run));
    return hasRate(run)
               ? fmt::format("{} delivered {} useful tokens a second.", run.name, grouped(rateOf(run), 1))
               : fmt::format("{} has no figures.", run.name);
}

} // namespace

std::string headline(const std::vector<RunRecord>& runs, const Evidence& evidence)
{
    if (runs.empty()) return "No run was chosen.";
    const RunRecord& base = runs.front();
    if (runs.size() == 1) return ofOne(base);
    if (!isWhole(base))
        return fmt::format("{} {}: nothing can be called better or worse than it.", base.name, endOf(base));
    std::size_t best = 0;
    for (std::size_t i = 1; i < runs.size(); ++i)
        if (hasRate(runs[i]) && (best == 0 || rateOf(runs[i]) > rateOf(runs[best]))) best = i;
    if (best == 0 || !hasRate(base)) {
        const std::string others = unfinished(runs);
        return others.empty() ? fmt::format("{} cannot be compared: figures are missing.", base.name)
                              : fmt::format("There is no whole run to compare with {}.{}", base.name, others);
    }
    const bool has_gap = best < evidence.pass_times.size() && evidence.pass_times[best];
    const double pass_gap = has_gap ? evidence.pass_times[best]->gap() : 0;
    return verdict(base, runs[best], evidence, pass_gap) + unfinished(runs);
}

} // namespace batchscope::sessions
