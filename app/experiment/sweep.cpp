// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/experiment/sweep.h"

#include "app/experiment/assignments.h"
#include "app/experiment/seeds.h"
#include "app/experiment/simulated_jobs.h"
#include "app/experiment/simulated_session.h"
#include "sessions/error.h"
#include "sessions/nearest_name.h"

#include <algorithm>
#include <fmt/format.h>

namespace batchscope::app {
namespace {

using sessions::DocumentError;
using sessions::SessionDocument;

constexpr std::size_t k_most_runs = 20'000; // each point's session and figures are kept in memory

void refuseTooMany(double runs)
{
    if (runs <= static_cast<double>(k_most_runs)) return;
    throw DocumentError(
        fmt::format("this sweep would be {:.0f} runs, and at most {} are made in one: give --vary fewer "
                    "values, choose strategies with --strategy, or split it",
                    runs, k_most_runs));
}

std::vector<std::vector<std::string>> gridOf(const std::vector<SweepAxis>& axes)
{
    double runs = 1;
    for (const SweepAxis& axis : axes)
        runs *= static_cast<double>(axis.values.size());
    refuseTooMany(runs);
    std::vector<std::vector<std::string>> points(1);
    for (const SweepAxis& axis : axes) {
        std::vector<std::vector<std::string>> longer;
        for (const auto& point : points)
            for (const auto& value : axis.values) {
                longer.push_back(point);
                longer.back().push_back(value);
            }
        points = std::move(longer);
    }
    return points;
}

SessionDocument withPoint(const SessionDocument& document, const std::vector<SweepAxis>& axes,
                          const std::vector<std::string>& point, const Registry& registry)
{
    std::vector<std::string> assignments;
    for (std::size_t i = 0; i < axes.size(); ++i)
        assignments.push_back(axes[i].key + "=" + point[i]);
    SessionDocument changed = document;
    try {
        assignValues(changed, assignments, registry);
    } catch (const DocumentError& error) {
        std::string text = error.what();
        if (text.starts_with("--set")) text.replace(0, 5, "--vary");
        throw DocumentError(text);
    }
    requireSimulated(changed, registry);
    return changed;
}

void checkMetrics(const std::vector<std::string>& metrics)
{
    for (const auto& name : metrics) {
        if (findMetric(name)) continue;
        std::vector<std::string> known;
        for (const MetricDefinition& metric : metricDefinitions())
            known.push_back(metric.name);
        throw DocumentError(
            fmt::format("--metric {}: no figure is called so{}; \"batchscope-cli compare\" shows "
                        "all of them",
                        name, sessions::didYouMean(name, known)));
    }
}

std::vector<Repeated> figuresOf(const SweepRun* runs, int repetitions, std::size_t metric)
{
    std::vector<Repeated> figures;
    for (int i = 0; i < repetitions; ++i)
        if (metric < runs[i].values.size() && runs[i].values[metric])
            figures.push_back({runs[i].seed, *runs[i].values[metric]});
    return figures;
}

std::optional<AdvisedFigures> medianFigures(const SweepRun* runs, std::size_t repetitions)
{
    std::vector<double> rates, latencies, bytes;
    for (std::size_t i = 0; i < repetitions; ++i) {
        if (!runs[i].figures) continue;
        rates.push_back(runs[i].figures->tokens_per_s);
        latencies.push_back(runs[i].figures->e2el_p99_s);
        bytes.push_back(static_cast<double>(runs[i].figures->kv_bytes));
    }
    if (rates.empty()) return std::nullopt;
    return AdvisedFigures{medianOf(rates), medianOf(latencies), static_cast<std::int64_t>(medianOf(bytes))};
}

// Of lines that come to the same the first stands for all. Points may differ in their load: a frontier over
// them says what can be had where.
void markFrontier(std::vector<SweepSummary>& summaries)
{
    for (SweepSummary& one : summaries) {
        if (!one.figures) continue;
        const auto& mine = *one.figures;
        one.is_on_frontier = std::none_of(summaries.begin(), summaries.end(), [&](const SweepSummary& other) {
            if (!other.figures || &other == &one) return false;
            const auto& its = *other.figures;
            const bool no_worse = its.tokens_per_s >= mine.tokens_per_s && its.e2el_p99_s <= mine.e2el_p99_s;
            const bool equal = its.tokens_per_s == mine.tokens_per_s && its.e2el_p99_s == mine.e2el_p99_s;
            return no_worse && (!equal || &other < &one);
        });
    }
}

void summarizeRuns(SweepResult& sweep)
{
    const auto repetitions = static_cast<std::size_t>(sweep.repetitions);
    for (std::size_t i = 0; i < sweep.runs.size(); i += repetitions) {
        const SweepRun& first = sweep.runs[i];
        const SweepRun* baseline = &sweep.runs[i - first.strategy * repetitions];
        SweepSummary summary{first.point, first.strategy, {}, {}, {}, first.refusal, {}, false};
        std::vector<double> theory;
        for (std::size_t repetition = i; repetition < i + repetitions; ++repetition)
            if (sweep.runs[repetition].theory_wait_s) theory.push_back(*sweep.runs[repetition].theory_wait_s);
        if (!theory.empty()) summary.theory_wait_s = medianOf(theory);
        for (std::size_t metric = 0; metric < sweep.metrics.size(); ++metric) {
            const auto own = figuresOf(&sweep.runs[i], sweep.repetitions, metric);
            std::vector<double> values;
            for (const Repeated& one : own)
                values.push_back(one.value);
            summary.estimates.push_back(medianEstimate(values));
            summary.against_first.push_back(
                first.strategy == 0 ? PairedDifference{}
                                    : pairedDifference(figuresOf(baseline, sweep.repetitions, metric), own));
        }
        summary.figures = medianFigures(&sweep.runs[i], repetitions);
        sweep.summaries.push_back(std::move(summary));
    }
    markFrontier(sweep.summaries);
}

} // namespace

Sweep::Sweep(const SessionDocument& document, SweepOptions options)
    : m_options(std::move(options)), m_registry(fullRegistry()), m_points(gridOf(m_options.axes)),
      m_chosen(chosenStrategies(document, m_options.strategies)),
      m_repetitions(std::max(1, m_options.repetitions.value_or(document.repetitions)))
{
    if (m_options.metrics.empty())
        m_options.metrics = {"output_token_throughput", "e2el_s.mean", "e2el_s.p99",
                             "effective_token_ratio_strict"};
    checkMetrics(m_options.metrics);
    for (std::size_t i = 0; i < m_options.axes.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (m_options.axes[i].key == m_options.axes[j].key)
                throw DocumentError(fmt::format("--vary {} is there twice; write all its values into one",
                                                m_options.axes[i].key));
    refuseTooMany(static_cast<double>(runCount()));
    for (const auto& point : m_points)
        m_documents.push_back(withPoint(document, m_options.axes, point, m_registry));
}

std::size_t Sweep::runCount() const
{
    return m_points.size() * m_chosen.size() * static_cast<std::size_t>(m_repetitions);
}

Strategy Sweep::strategyOf(const SweepSummary& summary) const
{
    return m_documents[summary.point].strategies[m_chosen[summary.strategy]];
}

std::string Sweep::pointText(const SweepResult& sweep, std::size_t point)
{
    std::string text;
    for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis) {
        const std::string& key = sweep.axes[axis].key;
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", key.substr(key.rfind('.') + 1),
                            sweep.points[point][axis]);
    }
    return text;
}

SweepResult Sweep::run(const std::stop_token& stop) const
{
    SweepResult sweep;
    sweep.session = m_documents.front().name;
    sweep.axes = m_options.axes;
    sweep.points = m_points;
    sweep.metrics = m_options.metrics;
    sweep.repetitions = m_repetitions;
    for (const std::size_t chosen : m_chosen)
        sweep.strategies.push_back(m_documents.front().strategies[chosen].name);

    SimulatedJobs jobs(m_registry);
    for (std::size_t point = 0; point < m_points.size(); ++point)
        for (std::size_t i = 0; i < m_chosen.size(); ++i)
            for (int repetition = 0; repetition < m_repetitions; ++repetition) {
                const SessionDocument& document = m_documents[point];
                jobs.add(document, document.strategies[m_chosen[i]], repetition);
                sweep.runs.push_back({point,
                                      i,
                                      repetition,
                                      seedOfRepetition(document.workload.seed, repetition),
                                      {},
                                      {},
                                      {},
                                      {}});
            }
    const auto outcomes = jobs.run({m_options.threads, m_options.progressed, stop});
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        sweep.runs[i].refusal = outcomes[i].refusal;
        if (outcomes[i].metrics) sweep.runs[i].figures = advisedFigures(*outcomes[i].metrics);
        if (outcomes[i].theory) sweep.runs[i].theory_wait_s = outcomes[i].theory->mean_wait_s;
        for (const auto& name : sweep.metrics)
            sweep.runs[i].values.push_back(outcomes[i].metrics ? findMetric(name)->value(*outcomes[i].metrics)
                                                               : std::nullopt);
    }
    summarizeRuns(sweep);
    sweep.notes = jobs.notes();
    return sweep;
}

} // namespace batchscope::app
