// SPDX-License-Identifier: GPL-3.0-or-later
// A sweep as a table, as JSON and as CSV. Nothing in them depends on the day, the machine or the threads.
#include "app/experiment/sweep.h"
#include "sessions/csv_field.h"
#include "sessions/figure_text.h"
#include "sessions/markdown_text.h"
#include "sessions/text_table.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace batchscope::app {
namespace {

using Ordered = nlohmann::ordered_json;
using sessions::TextTable;

template <typename Value>
Ordered orNull(const std::optional<Value>& value)
{
    return value ? Ordered(*value) : Ordered(nullptr);
}

std::string headingOf(const std::string& metric)
{
    const std::string unit = sessions::unitText(*findMetric(metric));
    return unit.empty() ? metric : metric + " " + unit;
}

// The interval in brackets, or the range of too few.
std::string intervalText(const MetricDefinition& metric, const Estimate& estimate)
{
    const auto& spread = estimate.spread();
    if (!spread || spread->low == spread->high) return {};
    const std::string low = sessions::figureText(metric, spread->low),
                      high = sessions::figureText(metric, spread->high);
    return estimate.interval ? fmt::format(" [{}, {}]", low, high) : fmt::format(" ({} to {})", low, high);
}

std::string estimateText(const std::string& name, const Estimate& estimate)
{
    const MetricDefinition& metric = *findMetric(name);
    return sessions::figureText(metric, estimate.value) + intervalText(metric, estimate);
}

std::string differenceText(const std::string& name, const PairedDifference& paired)
{
    const MetricDefinition& metric = *findMetric(name);
    const auto& value = paired.difference.value;
    if (!value) return {};
    return (*value > 0 ? "+" : "") + sessions::figureText(metric, value) +
           intervalText(metric, paired.difference) +
           (paired.isClear() || paired.difference.n < 2 ? "" : " ?");
}

// The wait of queueing theory stands beside the simulated one, where both are there.
bool showsTheory(const SweepResult& sweep)
{
    return std::find(sweep.metrics.begin(), sweep.metrics.end(), "queueing_delay_s.mean") !=
               sweep.metrics.end() &&
           std::any_of(sweep.summaries.begin(), sweep.summaries.end(),
                       [](const SweepSummary& summary) { return summary.theory_wait_s.has_value(); });
}

// What the first repetition's refusals and the number of repetitions ask to be said below the table.
std::string remarks(const SweepResult& sweep)
{
    constexpr std::size_t k_width = 110;
    std::string text;
    if (sweep.repetitions > 1) {
        text +=
            sessions::wrapped(
                fmt::format("Medians of {} repetitions, each on a workload of its own (seed, seed + 1, …), "
                            "with {}.{}",
                            sweep.repetitions,
                            sweep.repetitions < k_fewest_for_interval ? "least and greatest"
                                                                      : "95 % bootstrap intervals",
                            sweep.strategies.size() > 1
                                ? " Differences are medians over pairs of the same workload; \"?\": their "
                                  "interval holds 0, or the pairs are too few."
                                : ""),
                k_width) +
            "\n";
        if (const std::string note = tooFewNote(sweep.repetitions, 0.95); !note.empty())
            text += sessions::wrapped("Mind: " + note + ".", k_width) + "\n";
    }
    std::size_t refused = 0;
    std::string first;
    for (const SweepSummary& summary : sweep.summaries) {
        if (summary.refusal.empty()) continue;
        if (refused++ == 0) first = summary.refusal;
    }
    if (refused > 0)
        text += sessions::wrapped(fmt::format("{} of {} lines could not run, first: {}", refused,
                                              sweep.summaries.size(), first),
                                  k_width) +
                "\n";
    text +=
        sessions::wrapped("Pareto: no other line has more output tokens a second and no longer p99 latency, "
                          "or as many and a shorter one.",
                          k_width) +
        "\n";
    if (showsTheory(sweep))
        text += sessions::wrapped(
                    "M/G/1: the mean queueing delay that queueing theory gives for these services and "
                    "this rate (Pollaczek-Khinchine; shortest first: Cobham, Phipps), where requests "
                    "are served one at a time.",
                    k_width) +
                "\n";
    for (const auto& note : sweep.notes)
        text += sessions::wrapped(note, k_width) + "\n";
    return text;
}

Ordered pointJson(const SweepResult& sweep, std::size_t point)
{
    Ordered json = Ordered::object();
    for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis) {
        const std::string& text = sweep.points[point][axis];
        const Ordered value = Ordered::parse(text, nullptr, false);
        json[sweep.axes[axis].key] = value.is_discarded() ? Ordered(text) : value;
    }
    return json;
}

Ordered estimateJson(const Estimate& estimate)
{
    Ordered json;
    json["median"] = orNull(estimate.value);
    json["least"] = estimate.range ? Ordered(estimate.range->low) : Ordered(nullptr);
    json["greatest"] = estimate.range ? Ordered(estimate.range->high) : Ordered(nullptr);
    json["low"] = estimate.interval ? Ordered(estimate.interval->low) : Ordered(nullptr);
    json["high"] = estimate.interval ? Ordered(estimate.interval->high) : Ordered(nullptr);
    json["n"] = estimate.n;
    if (!estimate.note.empty()) json["note"] = estimate.note;
    return json;
}

Ordered differenceJson(const PairedDifference& paired)
{
    Ordered json = estimateJson(paired.difference);
    json["above"] = paired.above;
    json["below"] = paired.below;
    json["equal"] = paired.equal;
    json["unpaired"] = paired.unpaired;
    json["clear"] = paired.isClear();
    return json;
}

Ordered runJson(const SweepResult& sweep, const SweepRun& run)
{
    Ordered json;
    json["point"] = pointJson(sweep, run.point);
    json["strategy"] = sweep.strategies[run.strategy];
    json["repetition"] = run.repetition;
    json["seed"] = run.seed;
    if (!run.refusal.empty()) json["refused"] = run.refusal;
    if (run.theory_wait_s) json["theory"]["queueing_delay_s.mean"] = *run.theory_wait_s;
    for (std::size_t i = 0; i < sweep.metrics.size(); ++i)
        json["metrics"][sweep.metrics[i]] = orNull(run.values[i]);
    return json;
}

Ordered summaryJson(const SweepResult& sweep, const SweepSummary& summary)
{
    Ordered json;
    json["point"] = pointJson(sweep, summary.point);
    json["strategy"] = sweep.strategies[summary.strategy];
    json["on_frontier"] = summary.is_on_frontier;
    for (std::size_t i = 0; i < sweep.metrics.size(); ++i) {
        json["metrics"][sweep.metrics[i]] = estimateJson(summary.estimates[i]);
        if (summary.strategy > 0)
            json["against"][sweep.metrics[i]] = differenceJson(summary.against_first[i]);
    }
    return json;
}

} // namespace

namespace {

struct Lines // of a sweep's table, the heading first
{
    std::vector<TextTable::Align> align;
    std::vector<std::vector<std::string>> rows;
};

Lines linesOf(const SweepResult& sweep)
{
    const bool has_theory = showsTheory(sweep);
    const bool compares = sweep.repetitions > 1 && sweep.strategies.size() > 1;
    std::vector<TextTable::Align> align(sweep.axes.size(), TextTable::Align::Right);
    std::vector<std::string> heading;
    for (const SweepAxis& axis : sweep.axes)
        heading.push_back(axis.key);
    heading.emplace_back("strategy");
    align.push_back(TextTable::Align::Left);
    for (const auto& metric : sweep.metrics) {
        heading.push_back(headingOf(metric));
        align.push_back(TextTable::Align::Right);
        if (!compares) continue;
        heading.push_back("against " + sweep.strategies.front());
        align.push_back(TextTable::Align::Right);
    }
    if (has_theory) {
        heading.emplace_back("M/G/1 wait s");
        align.push_back(TextTable::Align::Right);
    }
    heading.emplace_back("Pareto");
    align.push_back(TextTable::Align::Left);
    Lines lines{align, {heading}};
    for (const SweepSummary& summary : sweep.summaries) {
        std::vector<std::string> line = sweep.points[summary.point];
        line.push_back(sweep.strategies[summary.strategy]);
        for (std::size_t i = 0; i < sweep.metrics.size(); ++i) {
            line.push_back(estimateText(sweep.metrics[i], summary.estimates[i]));
            if (compares) line.push_back(differenceText(sweep.metrics[i], summary.against_first[i]));
        }
        if (has_theory)
            line.push_back(summary.theory_wait_s ? fmt::format("{:.3f}", *summary.theory_wait_s)
                                                 : sessions::k_no_data);
        line.emplace_back(summary.is_on_frontier ? "yes" : "");
        lines.rows.push_back(std::move(line));
    }
    return lines;
}

} // namespace

std::string sweepTable(const SweepResult& sweep)
{
    const Lines lines = linesOf(sweep);
    TextTable table(lines.align);
    for (const auto& row : lines.rows)
        table.addRow(row);
    return table.text() + "\n" + remarks(sweep);
}

std::string sweepMarkdown(const SweepResult& sweep)
{
    const Lines lines = linesOf(sweep);
    std::string text = "# Sweep of " + sessions::escaped(sweep.session) + "\n\n";
    for (std::size_t row = 0; row < lines.rows.size(); ++row) {
        for (const auto& field : lines.rows[row])
            text += "| " + sessions::escaped(field) + " ";
        text += "|\n";
        if (row > 0) continue;
        for (const auto align : lines.align)
            text += align == TextTable::Align::Left ? "| --- " : "| ---: ";
        text += "|\n";
    }
    return text + "\n" + sessions::escaped(remarks(sweep));
}

std::string sweepJson(const SweepResult& sweep)
{
    Ordered json;
    json["schema"] = "batchscope.sweep/1";
    json["session"] = sweep.session;
    json["axes"] = Ordered::object();
    for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis)
        json["axes"][sweep.axes[axis].key] = sweep.axes[axis].values;
    json["strategies"] = sweep.strategies;
    json["metrics"] = sweep.metrics;
    json["repetitions"] = sweep.repetitions;
    json["notes"] = sweep.notes;
    json["summary"] = Ordered::array();
    for (const SweepSummary& summary : sweep.summaries)
        json["summary"].push_back(summaryJson(sweep, summary));
    json["runs"] = Ordered::array();
    for (const SweepRun& run : sweep.runs)
        json["runs"].push_back(runJson(sweep, run));
    return json.dump(2) + "\n";
}

std::string sweepCsv(const SweepResult& sweep)
{
    std::string text;
    for (const SweepAxis& axis : sweep.axes)
        text += sessions::csvField(axis.key) + ",";
    text += "strategy,repetition,seed,refused";
    for (const auto& metric : sweep.metrics)
        text += "," + sessions::csvField(metric);
    text += "\r\n";
    for (const SweepRun& run : sweep.runs) {
        for (const auto& value : sweep.points[run.point])
            text += sessions::csvField(value) + ",";
        text += fmt::format("{},{},{},{}", sessions::csvField(sweep.strategies[run.strategy]), run.repetition,
                            run.seed, sessions::csvField(run.refusal));
        for (const auto& value : run.values)
            text += value ? fmt::format(",{}", *value) : ",";
        text += "\r\n";
    }
    return text;
}

} // namespace batchscope::app
