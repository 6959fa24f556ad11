// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/figure_text.h"
#include "sessions/load_text.h"
#include "sessions/repetitions.h"
#include "sessions/report.h"
#include "sessions/text_table.h"
#include "sessions/why.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace batchscope::sessions {

namespace {

constexpr std::size_t k_terminal_width = 100;
constexpr const char* k_fairness[] = {"slowdown.mean", "jains_index", "starved_requests"};

// A p99 of few values hangs on one or two of them (metrics.md).
bool isUncertain(const MetricDefinition& metric, const RunMetrics& metrics)
{
    return metric.name.ends_with(".p99") && metric.samples && metric.samples(metrics) < 100;
}

std::optional<std::uint32_t> slotsOf(const EventLog& log)
{
    for (const Event& event : log)
        if (const auto* started = std::get_if<RunStarted>(&event.body)) return started->slot_count;
    return std::nullopt;
}

struct Compared
{
    RunRecord record;
    std::optional<std::uint32_t> slots;
};

// What became of the baseline's figure, where the two can be held against each other at all.
void setChange(const MetricDefinition& metric, const Compared& baseline, const Compared& run,
               const ComparisonCell& before, ComparisonCell& cell)
{
    if (!isWhole(baseline.record) || !isWhole(run.record)) return; // a part says nothing of the whole
    if (metric.name == "mean_occupancy" && baseline.slots && run.slots && baseline.slots != run.slots) {
        if (before.value && cell.value)
            cell.change = fmt::format("of {} slots, not {}: no better or worse", *run.slots, *baseline.slots);
        return;
    }
    cell.change = changeText(metric, before.value, cell.value, &cell.direction);
}

ComparisonRow makeRow(const MetricDefinition& metric, const std::vector<Compared>& runs)
{
    ComparisonRow row{metric.name, metric.title, unitText(metric), metric.formula, {}};
    for (const auto& run : runs) {
        const auto& metrics = run.record.metrics;
        ComparisonCell cell;
        if (metrics) cell.value = metric.value(*metrics);
        cell.text = figureText(metric, cell.value);
        if (cell.value && isUncertain(metric, *metrics)) cell.text += k_uncertain;
        if (!row.cells.empty()) setChange(metric, runs.front(), run, row.cells.front(), cell);
        row.cells.push_back(std::move(cell));
    }
    return row;
}

std::string measureText(const RunRecord& record)
{
    return record.measure.is_null() ? "none" : record.measure.dump();
}

// What the facts of the runs do not show: how they ended, and how quiet the machine was.
std::vector<Difference> furtherDifferences(const RunRecord& baseline, const RunRecord& run,
                                           const std::optional<PassTimes>& pass_times)
{
    std::vector<Difference> differences;
    if (!isWhole(baseline) || !isWhole(run)) differences.push_back({"end", endOf(baseline), endOf(run)});
    if (pass_times && std::abs(pass_times->gap()) > k_notable_pass_gap)
        differences.push_back(
            {fmt::format("mean time of {} passes of the same rows and context (told above {}: "
                         "other load on the machine?)",
                         grouped(static_cast<double>(pass_times->passes), 0), percent(k_notable_pass_gap, 0)),
             grouped(pass_times->baseline_ms, 2) + " ms", grouped(pass_times->other_ms, 2) + " ms"});
    if (baseline.measure != run.measure)
        differences.push_back({"part with figures of its own", measureText(baseline), measureText(run)});
    return differences;
}

// Only where nothing else explains another time for a pass.
bool sameMachine(const Provenance& a, const Provenance& b)
{
    return a.measured && b.measured && a.model == b.model && a.device == b.device && a.dtype == b.dtype &&
           a.threads == b.threads;
}

// Runs of one name are told apart by their repetition, and where that is equal by their id.
std::vector<std::string> columnNames(const std::vector<RunRecord>& records)
{
    std::vector<std::string> names;
    for (const auto& record : records) {
        const auto is_same = [&](const RunRecord& other) { return other.name == record.name; };
        if (std::count_if(records.begin(), records.end(), is_same) < 2) {
            names.push_back(record.name);
            continue;
        }
        const bool by_repetition = std::count_if(records.begin(), records.end(), [&](const RunRecord& other) {
                                       return is_same(other) && other.repetition == record.repetition;
                                   }) == 1;
        names.push_back(by_repetition ? fmt::format("{} #{}", record.name, record.repetition + 1)
                                      : fmt::format("{} (run {})", record.name, record.id));
    }
    return names;
}

// Percentiles between the median and the last are for the report and the exports.
bool isDetail(const ComparisonRow& row)
{
    return row.metric.ends_with(".p90") || row.metric.ends_with(".p95");
}

// Two columns a run leave room for the word only where there is one run beside the baseline.
std::string changeWithMark(const ComparisonCell& cell, bool with_word)
{
    if (cell.direction == 0) return cell.change;
    if (!with_word) return cell.change + (cell.direction > 0 ? " ↑" : " ↓");
    return cell.change + (cell.direction > 0 ? " ↑ better" : " ↓ worse");
}

std::string comparabilityText(const Comparison& comparison)
{
    std::string text;
    for (std::size_t i = 1; i < comparison.names.size(); ++i) {
        const auto& differences = comparison.differences[i];
        if (differences.empty())
            text += fmt::format("{}: comparable with {} in every point\n", comparison.names[i],
                                comparison.names[0]);
        else
            text += fmt::format("{} differs from {} in\n", comparison.names[i], comparison.names[0]);
        for (const auto& difference : differences)
            text +=
                fmt::format("  {}: {} against {}\n", difference.what, difference.other, difference.baseline);
        if (const auto& agreement = comparison.output_agreement[i])
            text += fmt::format("  identical outputs: {} of the requests\n", percent(*agreement));
    }
    return text;
}

} // namespace

bool ComparisonRow::hasFigures() const
{
    return std::any_of(cells.begin(), cells.end(),
                       [](const ComparisonCell& cell) { return cell.value && *cell.value != 0; });
}

bool ComparisonRow::isShown() const
{
    return hasFigures() ||
           std::find(std::begin(k_fairness), std::end(k_fairness), metric) != std::end(k_fairness);
}

Comparison compareRuns(const std::vector<StoredRun>& runs, const std::vector<RunRecord>& repetitions)
{
    Comparison comparison;
    std::vector<RunRecord> records;
    std::vector<Compared> compared;
    for (const auto& run : runs) {
        records.push_back(run.record);
        auto& record = records.back();
        if (!record.metrics && !run.log.empty())
            record.metrics = computeMetrics(run.log, record.strategy.slo);
        comparison.facts.push_back(runFacts(record, run.log, run.tokens));
        comparison.load.push_back(loadSentences(record, run.log));
    }
    Evidence evidence{repetitions.empty() ? records : repetitions, {}};
    comparison.names = columnNames(records);
    for (std::size_t i = 0; i < records.size(); ++i) {
        records[i].name = comparison.names[i];
        compared.push_back({records[i], slotsOf(runs[i].log)});
        const bool has_twin = i > 0 && sameMachine(records[0].provenance, records[i].provenance);
        evidence.pass_times.push_back(has_twin ? comparePassTimes(runs[0].log, runs[i].log) : std::nullopt);
        comparison.differences.emplace_back();
        comparison.output_agreement.emplace_back();
        if (i == 0) continue;
        auto& differences = comparison.differences.back();
        differences = compareFacts(comparison.facts[0], comparison.facts[i]);
        for (auto& further : furtherDifferences(records[0], records[i], evidence.pass_times[i]))
            differences.push_back(std::move(further));
        comparison.output_agreement.back() =
            outputAgreement(comparison.facts[0], comparison.facts[i], nullptr);
    }
    for (const auto& metric : metricDefinitions())
        comparison.rows.push_back(makeRow(metric, compared));
    comparison.headline = headline(records, evidence);
    comparison.why = explainRuns(records);
    return comparison;
}

namespace {

// Figures in a column each; where runs were repeated, their spread in one more.
std::string figuresTable(const Comparison& comparison, const RepeatedComparison* repeated)
{
    const auto& names = comparison.names;
    std::vector<TextTable::Align> columns{TextTable::Align::Left, TextTable::Align::Left};
    std::vector<std::string> header{"Metric", "Unit"};
    for (std::size_t i = 0; i < names.size(); ++i) {
        columns.push_back(TextTable::Align::Right);
        header.push_back(names[i]);
        if (repeated) {
            columns.push_back(TextTable::Align::Left);
            header.emplace_back("");
        }
        if (i == 0) continue;
        columns.push_back(TextTable::Align::Left);
        header.emplace_back("");
    }
    TextTable table(columns);
    table.addRow(header);
    for (std::size_t at = 0; at < comparison.rows.size(); ++at) {
        const auto& row = comparison.rows[at];
        if (!row.isShown() || isDetail(row)) continue;
        std::vector<std::string> cells{row.title, row.unit};
        for (std::size_t i = 0; i < row.cells.size(); ++i) {
            cells.push_back(row.cells[i].text);
            if (repeated) {
                const auto& spread = repeated->spreads[at][i];
                const MetricDefinition* metric = findMetric(row.metric);
                cells.push_back(spread && metric ? spreadText(*metric, *spread) : std::string());
            }
            if (i > 0) cells.push_back(changeWithMark(row.cells[i], names.size() == 2));
        }
        table.addRow(cells);
    }
    return table.text();
}

std::string loadText(const Comparison& comparison)
{
    std::string text;
    for (std::size_t i = 0; i < comparison.load.size(); ++i)
        for (std::size_t j = 0; j < comparison.load[i].size(); ++j)
            text += wrapped((j == 0 ? comparison.names[i] + ": " : "  ") + comparison.load[i][j],
                            k_terminal_width) +
                    "\n";
    return text.empty() ? text : "\nLoad\n" + text;
}

std::string textOf(const Comparison& comparison, const RepeatedComparison* repeated)
{
    std::string text = wrapped(comparison.headline, k_terminal_width) + "\n\n";
    const auto& names = comparison.names;
    for (std::size_t i = 0; i < names.size(); ++i)
        text += fmt::format("{}: {}\n", names[i], comparison.facts[i].provenance.sentence());
    text += names.empty() ? "" : "\n";
    if (names.size() > 1) text += comparabilityText(comparison) + "\n";
    const std::string lines = figuresTable(comparison, repeated);
    text += lines;
    if (names.size() > 2) text += "↑ better, ↓ worse than " + names[0] + "\n";
    text += legendOf(lines);
    if (repeated) text += wrapped(repeated->note(), k_terminal_width) + "\n";
    if (!comparison.why.empty()) text += "\nWhy\n" + wrapped(comparison.why, k_terminal_width) + "\n";
    return text + loadText(comparison);
}

} // namespace

std::string comparisonText(const Comparison& comparison)
{
    return textOf(comparison, nullptr);
}

std::string comparisonText(const RepeatedComparison& compared)
{
    return textOf(compared.comparison, compared.isRepeated() ? &compared : nullptr);
}

} // namespace batchscope::sessions
