// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/figure_text.h"
#include "sessions/report.h"
#include "sessions/text_table.h"
#include "sessions/why.h"

#include <algorithm>
#include <fmt/format.h>

namespace batchscope::sessions {

namespace {

constexpr std::size_t k_terminal_width = 100;
constexpr const char* k_uncertain = "†";

// A p99 of few values hangs on one or two of them (metrics.md).
bool isUncertain(const MetricDefinition& metric, const RunMetrics& metrics)
{
    return metric.name.ends_with(".p99") && metric.samples && metric.samples(metrics) < 100;
}

ComparisonRow makeRow(const MetricDefinition& metric, const std::vector<RunRecord>& records)
{
    ComparisonRow row{metric.name, metric.title, unitText(metric), metric.formula, {}};
    for (const auto& record : records) {
        ComparisonCell cell;
        if (record.metrics) cell.value = metric.value(*record.metrics);
        cell.text = figureText(metric, cell.value);
        if (cell.value && isUncertain(metric, *record.metrics)) cell.text += k_uncertain;
        if (!row.cells.empty())
            cell.change = changeText(metric, row.cells.front().value, cell.value, &cell.direction);
        row.cells.push_back(std::move(cell));
    }
    return row;
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

Comparison compareRuns(const std::vector<StoredRun>& runs)
{
    Comparison comparison;
    std::vector<RunRecord> records;
    for (const auto& run : runs) {
        records.push_back(run.record);
        auto& record = records.back();
        if (!record.metrics && !run.log.empty())
            record.metrics = computeMetrics(run.log, record.strategy.slo);
        comparison.facts.push_back(runFacts(record, run.log, run.tokens));
    }
    comparison.names = columnNames(records);
    for (std::size_t i = 0; i < records.size(); ++i) {
        records[i].name = comparison.names[i];
        const bool is_baseline = i == 0;
        comparison.differences.push_back(
            is_baseline ? std::vector<Difference>{} : compareFacts(comparison.facts[0], comparison.facts[i]));
        comparison.output_agreement.push_back(
            is_baseline ? std::nullopt : outputAgreement(comparison.facts[0], comparison.facts[i], nullptr));
    }
    for (const auto& metric : metricDefinitions())
        comparison.rows.push_back(makeRow(metric, records));
    comparison.headline = headline(records);
    comparison.why = explainRuns(records);
    return comparison;
}

std::string comparisonText(const Comparison& comparison)
{
    std::string text = wrapped(comparison.headline, k_terminal_width) + "\n\n";
    const auto& names = comparison.names;
    for (std::size_t i = 0; i < names.size(); ++i)
        text += fmt::format("{}: {}\n", names[i], comparison.facts[i].provenance.sentence());
    text += names.empty() ? "" : "\n";
    if (names.size() > 1) text += comparabilityText(comparison) + "\n";

    std::vector<TextTable::Align> columns{TextTable::Align::Left, TextTable::Align::Left};
    std::vector<std::string> header{"Metric", "Unit"};
    for (std::size_t i = 0; i < names.size(); ++i) {
        columns.push_back(TextTable::Align::Right);
        header.push_back(names[i]);
        if (i == 0) continue;
        columns.push_back(TextTable::Align::Left);
        header.emplace_back("");
    }
    TextTable table(columns);
    table.addRow(header);
    for (const auto& row : comparison.rows) {
        if (!row.hasFigures() || isDetail(row)) continue;
        std::vector<std::string> cells{row.title, row.unit};
        for (std::size_t i = 0; i < row.cells.size(); ++i) {
            cells.push_back(row.cells[i].text);
            if (i > 0) cells.push_back(changeWithMark(row.cells[i], names.size() == 2));
        }
        table.addRow(cells);
    }
    const std::string lines = table.text();
    text += lines;
    if (names.size() > 2) text += "↑ better, ↓ worse than " + names[0] + "\n";
    if (lines.find(k_uncertain) != std::string::npos) text += "† 99th percentile of fewer than 100 values\n";
    if (!comparison.why.empty()) text += "\nWhy\n" + wrapped(comparison.why, k_terminal_width) + "\n";
    return text;
}

} // namespace batchscope::sessions
