// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/experiment/advisor.h"

#include "app/experiment/simulated_jobs.h"
#include "app/experiment/simulated_session.h"
#include "sessions/figure_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace batchscope::app {
namespace {

using sessions::SessionDocument;

struct Figure
{
    const char* name;
    double (*value)(const AdvisedFigures&); // larger is better: what is to be low is negated
};
constexpr Figure k_figures[] = {
    {"throughput", [](const AdvisedFigures& f) { return f.tokens_per_s; }},
    {"p99 latency", [](const AdvisedFigures& f) { return -f.e2el_p99_s; }},
    {"KV memory", [](const AdvisedFigures& f) { return -static_cast<double>(f.kv_bytes); }},
};

PredictorQuality qualityOf(const PartSpec& predictor)
{
    if (predictor.type == "none") return PredictorQuality::None;
    return predictor.type == "oracle" ? PredictorQuality::Oracle : PredictorQuality::Imperfect;
}

void setFigures(Candidate& candidate, const SimulatedOutcome& outcome)
{
    candidate.refusal = outcome.refusal;
    if (!outcome.metrics) return;
    candidate.figures = advisedFigures(*outcome.metrics);
    if (!candidate.figures) candidate.refusal = "no request was completed";
}

void findFrontier(AdvisorResult& result)
{
    auto& all = result.candidates;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!all[i].figures) continue;
        // Of several that come to the same, the first stands for all.
        const bool is_beaten = std::any_of(all.begin(), all.end(), [&](const Candidate& other) {
            if (!other.figures) return false;
            const auto place = static_cast<std::size_t>(&other - all.data());
            return other.figures->dominates(*all[i].figures) ||
                   (place < i && *other.figures == *all[i].figures);
        });
        all[i].is_on_frontier = !is_beaten;
        if (!is_beaten) result.frontier.push_back(i);
    }
    std::stable_sort(result.frontier.begin(), result.frontier.end(), [&](std::size_t a, std::size_t b) {
        return all[a].figures->tokens_per_s > all[b].figures->tokens_per_s;
    });
}

// The candidate with the best figure of those that `counts`; the first of equals.
template <typename Counts>
std::optional<std::size_t> bestOf(const std::vector<Candidate>& all, const Figure& figure, Counts counts)
{
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!all[i].figures || !counts(all[i])) continue;
        if (!best || figure.value(*all[i].figures) > figure.value(*all[*best].figures)) best = i;
    }
    return best;
}

double shareBetter(double other, double own)
{
    return own == 0 ? 0 : std::max(0.0, (other - own) / std::abs(own));
}

Regret regretOf(const std::vector<Candidate>& all, std::size_t own, const Figure& figure)
{
    Regret regret;
    regret.figure = figure.name;
    regret.best =
        bestOf(all, figure, [](const Candidate& c) { return c.quality != PredictorQuality::Oracle; });
    regret.oracle =
        bestOf(all, figure, [](const Candidate& c) { return c.quality == PredictorQuality::Oracle; });
    const double mine = figure.value(*all[own].figures);
    if (regret.best) regret.against_best = shareBetter(figure.value(*all[*regret.best].figures), mine);
    if (regret.oracle) regret.against_oracle = shareBetter(figure.value(*all[*regret.oracle].figures), mine);
    return regret;
}

// Without an oracle, no worse in anything and better in something: the one that gains most in its better
// figures together.
std::optional<std::size_t> betterThan(const std::vector<Candidate>& all, std::size_t own)
{
    std::optional<std::size_t> best;
    double most = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!all[i].figures || all[i].quality == PredictorQuality::Oracle) continue;
        if (!all[i].figures->dominates(*all[own].figures)) continue;
        double gain = 0;
        for (const Figure& figure : k_figures)
            gain += shareBetter(figure.value(*all[i].figures), figure.value(*all[own].figures));
        if (best && gain <= most) continue;
        best = i;
        most = gain;
    }
    return best;
}

std::string figuresText(const AdvisedFigures& figures)
{
    return fmt::format("{} tokens/s, p99 {} s, {} MiB of KV", sessions::grouped(figures.tokens_per_s, 1),
                       sessions::grouped(figures.e2el_p99_s, 2),
                       sessions::grouped(static_cast<double>(figures.kv_bytes) / (1 << 20), 1));
}

std::string regretText(const std::vector<Candidate>& all, std::size_t own, const Regret& regret)
{
    const bool is_high = regret.figure == "throughput";
    const auto share = [&](double of) {
        return fmt::format("{} {}", sessions::percent(of), is_high ? "higher" : "lower");
    };
    constexpr double k_nothing = 0.0005; // what would be shown as 0.0 %
    std::string text = regret.figure + ": ";
    if (regret.best == own || regret.against_best < k_nothing)
        text += "nothing without an oracle does better";
    else
        text += fmt::format("{} with \"{}\"", share(regret.against_best), all[*regret.best].strategy.name);
    if (regret.oracle && regret.against_oracle > regret.against_best + k_nothing)
        text += fmt::format("; {} if every length were known (\"{}\")", share(regret.against_oracle),
                            all[*regret.oracle].strategy.name);
    return text + ".";
}

std::string adviceWords(const std::vector<Candidate>& all, const Advice& advice)
{
    const Candidate& own = all[advice.own];
    std::string words = fmt::format("{} gives {}.", own.strategy.name, figuresText(*own.figures));
    if (advice.better)
        words += fmt::format(" Choose \"{}\" instead: {}, no worse in anything.",
                             all[*advice.better].strategy.name, figuresText(*all[*advice.better].figures));
    else
        words +=
            " Nothing without an oracle beats it in everything: what gains in one figure costs in another.";
    for (const Regret& regret : advice.regrets)
        words += "\n" + regretText(all, advice.own, regret);
    return words;
}

void advise(AdvisorResult& result)
{
    for (std::size_t i = 0; i < result.candidates.size(); ++i) {
        if (!result.candidates[i].is_own || !result.candidates[i].figures) continue;
        Advice advice;
        advice.own = i;
        for (const Figure& figure : k_figures)
            advice.regrets.push_back(regretOf(result.candidates, i, figure));
        advice.better = betterThan(result.candidates, i);
        advice.words = adviceWords(result.candidates, advice);
        result.advice.push_back(std::move(advice));
    }
}

} // namespace

std::optional<AdvisedFigures> advisedFigures(const RunMetrics& metrics)
{
    if (!metrics.output_token_throughput || !metrics.e2el_s.p99) return std::nullopt;
    return AdvisedFigures{*metrics.output_token_throughput, *metrics.e2el_s.p99,
                          metrics.kv_allocated_peak_bytes};
}

bool AdvisedFigures::dominates(const AdvisedFigures& other) const
{
    const bool no_worse =
        tokens_per_s >= other.tokens_per_s && e2el_p99_s <= other.e2el_p99_s && kv_bytes <= other.kv_bytes;
    return no_worse && *this != other;
}

Advisor::Advisor(const SessionDocument& document, AdvisorOptions options)
    : m_document(document), m_options(std::move(options)), m_registry(fullRegistry())
{
    requireSimulated(m_document, m_registry);
    for (const std::size_t i : chosenStrategies(m_document, m_options.strategies))
        m_candidates.push_back(
            {m_document.strategies[i], qualityOf(m_document.strategies[i].predictor), true, {}, {}, false});
    for (Candidate& candidate : advisorCandidates(m_document.strategies.front().limits))
        m_candidates.push_back(std::move(candidate));
}

AdvisorResult Advisor::run(const std::stop_token& stop) const
{
    SimulatedJobs jobs(m_registry);
    for (const Candidate& candidate : m_candidates)
        jobs.add(m_document, candidate.strategy, 0);
    const auto outcomes = jobs.run({m_options.threads, m_options.progressed, stop});
    AdvisorResult result;
    result.session = m_document.name;
    result.seed = m_document.workload.seed;
    result.candidates = m_candidates;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        setFigures(result.candidates[i], outcomes[i]);
        if (outcomes[i].metrics) result.requests = outcomes[i].metrics->requests;
    }
    result.notes = jobs.notes();
    if (std::all_of(result.candidates.begin(), result.candidates.end(),
                    [](const Candidate& one) { return !one.figures || one.figures->kv_bytes == 0; }))
        result.notes.push_back(
            fmt::format("The cost model \"{}\" says nothing of KV memory: only throughput and "
                        "latency are compared.",
                        sessions::costModelName(m_document.backend)));
    findFrontier(result);
    advise(result);
    return result;
}

} // namespace batchscope::app
