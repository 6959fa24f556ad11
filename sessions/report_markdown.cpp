// SPDX-License-Identifier: GPL-3.0-or-later
// The report as Markdown: one file, tables only, readable as it stands.
#include "sessions/event_json.h"
#include "sessions/figure_text.h"
#include "sessions/markdown_text.h"
#include "sessions/published.h"
#include "sessions/repetitions.h"
#include "sessions/report.h"
#include "sessions/report_reproduce.h"

#include <algorithm>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <set>
#include <sstream>

namespace batchscope::sessions {

namespace {

std::string paramText(const ParamValue& value)
{
    return std::visit(
        [](const auto& held) -> std::string {
            using T = std::decay_t<decltype(held)>;
            if constexpr (std::is_same_v<T, std::monostate>)
                return "none";
            else if constexpr (std::is_same_v<T, bool>)
                return held ? "yes" : "no";
            else if constexpr (std::is_same_v<T, double>)
                return jsonNumber(held);
            else
                return fmt::format("{}", held);
        },
        value);
}

std::string chip(const PartSpec& part)
{
    std::string text = "**" + escaped(part.type) + "**";
    for (const auto& [name, value] : part.params)
        text += fmt::format("{}{} {}", &name == &part.params.begin()->first ? " (" : ", ", escaped(name),
                            escaped(paramText(value)));
    return part.params.empty() ? text : text + ")";
}

std::string strategyChips(const Strategy& strategy)
{
    return fmt::format("{} ▸ {} ▸ {} ▸ {} ▸ cap {}", chip(strategy.predictor), chip(strategy.ordering),
                       chip(strategy.batching), chip(strategy.correction), strategy.limits.max_new_tokens);
}

std::string tableRow(const std::vector<std::string>& cells)
{
    return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

std::string tableHead(std::vector<std::string> titles, std::size_t left)
{
    std::vector<std::string> rule;
    for (std::size_t i = 0; i < titles.size(); ++i)
        rule.emplace_back(i < left ? "---" : "---:");
    return tableRow(titles) + tableRow(rule);
}

std::vector<std::string> escapedNames(const Comparison& comparison)
{
    std::vector<std::string> names;
    for (const auto& name : comparison.names)
        names.push_back(escaped(name));
    return names;
}

std::string why(const Comparison& comparison)
{
    if (comparison.why.empty()) return {};
    std::string text = "## Why\n\n";
    std::istringstream lines(comparison.why);
    for (std::string line; std::getline(lines, line);)
        text += "- " + escaped(line) + "\n";
    return text + "\n";
}

std::string comparability(const Comparison& comparison)
{
    if (comparison.names.size() < 2) return {};
    std::string text = "## Are the runs comparable?\n\n";
    for (std::size_t i = 1; i < comparison.names.size(); ++i) {
        const auto name = escaped(comparison.names[i]);
        if (comparison.differences[i].empty())
            text += fmt::format("- {}: comparable with {} in every point that is checked\n", name,
                                escaped(comparison.names[0]));
        for (const auto& difference : comparison.differences[i])
            text += fmt::format("- {}: {} is {} here, {} in the baseline\n", name, escaped(difference.what),
                                escaped(difference.other), escaped(difference.baseline));
        if (const auto& agreement = comparison.output_agreement[i])
            text += fmt::format("- {}: {} of the requests have the same output, id for id\n", name,
                                percent(*agreement));
    }
    return text + "\n";
}

std::string strategies(const std::vector<StoredRun>& runs, const Comparison& comparison)
{
    std::string text =
        "## Strategies\n\n" + tableHead({"Run", "Predictor ▸ ordering ▸ batching ▸ correction"}, 2);
    for (std::size_t i = 0; i < runs.size(); ++i)
        text += tableRow({escaped(comparison.names[i]), strategyChips(runs[i].record.strategy)});
    return text + "\n";
}

std::string deltas(const RepeatedComparison& compared)
{
    const Comparison& comparison = compared.comparison;
    std::vector<std::string> titles{"Metric"};
    for (const auto& name : escapedNames(comparison))
        titles.push_back(name);
    std::string text = "## Figures\n\n" + tableHead(titles, 1);
    std::string formulas = "\nHow each figure is made (those that are 0 in every run are left out):\n\n";
    std::string told;
    for (std::size_t at = 0; at < comparison.rows.size(); ++at) {
        const ComparisonRow& row = comparison.rows[at];
        if (!row.isShown()) continue;
        const MetricDefinition* metric = findMetric(row.metric);
        std::vector<std::string> cells{row.unit.empty()
                                           ? escaped(row.title)
                                           : fmt::format("{} ({})", escaped(row.title), escaped(row.unit))};
        for (std::size_t i = 0; i < row.cells.size(); ++i) {
            const ComparisonCell& cell = row.cells[i];
            std::string shown = cell.text;
            if (const auto& spread = compared.spreads[at][i]; spread && metric)
                if (const std::string width = spreadText(*metric, *spread); !width.empty())
                    shown += " " + escaped(width);
            if (!cell.change.empty()) shown += " (" + cell.change;
            if (cell.direction != 0) shown += cell.direction > 0 ? ", better" : ", worse";
            if (!cell.change.empty()) shown += ")";
            cells.push_back(shown);
        }
        text += tableRow(cells);
        // Mean, median and percentiles of one figure share a formula: told once, under what they have in
        // common.
        if (row.formula == told) continue;
        told = row.formula;
        const bool is_summary = metric && metric->samples;
        const auto title = is_summary ? row.title.substr(0, row.title.rfind(',')) : row.title;
        formulas += fmt::format("- {}: {}\n", escaped(title), escaped(row.formula));
    }
    if (const std::string legend = legendOf(text); !legend.empty()) text += "\n" + legend;
    if (const std::string note = compared.note(); !note.empty()) text += "\n" + escaped(note) + "\n";
    return text + formulas + "\n";
}

std::string load(const Comparison& comparison)
{
    std::string text;
    for (std::size_t i = 0; i < comparison.load.size(); ++i)
        for (const std::string& sentence : comparison.load[i])
            text += fmt::format("- {}: {}\n", escaped(comparison.names[i]), escaped(sentence));
    return text.empty() ? text : "## Load\n\n" + text + "\n";
}

std::string waste(const std::vector<StoredRun>& runs, const Comparison& comparison)
{
    std::string text =
        "## Where the slot-steps went\n\n" + tableHead({"Run", "Slot-steps", "Useful", "End of sequence",
                                                        "Prompt chunks", "Padding", "Abandoned", "Stalled"},
                                                       1);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const auto& metrics = runs[i].record.metrics;
        std::vector<std::string> cells{escaped(comparison.names[i])};
        const StepKinds steps = metrics ? metrics->steps : StepKinds{};
        const auto total = static_cast<double>(steps.total());
        cells.push_back(metrics ? grouped(total, 0) : k_no_data);
        for (const auto part :
             {steps.useful, steps.end, steps.chunk, steps.padding, steps.abandoned, steps.stalled})
            cells.push_back(total > 0 ? percent(static_cast<double>(part) / total) : k_no_data);
        text += tableRow(cells);
    }
    return text + "\n";
}

std::string startedText(const RunRecord& record)
{
    const auto seconds = static_cast<std::time_t>(record.started_unix_ms / 1000);
    return record.started_unix_ms > 0 ? fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(seconds))
                                      : k_no_data;
}

std::string provenance(const std::vector<StoredRun>& runs, const Comparison& comparison)
{
    std::string text =
        "## Where the figures come from\n\n" +
        tableHead({"Run", "Provenance", "Model", "Workload", "Status", "Started", "Machine"}, 7);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const auto& record = runs[i].record;
        std::vector<std::string> machine;
        for (const auto& part :
             {record.environment.cpu, record.environment.gpu, record.environment.libraries})
            if (!part.empty()) machine.push_back(escaped(part));
        text += tableRow({escaped(comparison.names[i]),
                          escaped(provenanceSentence(record.provenance, record.strategy)),
                          record.provenance.model.empty() ? k_no_data : escaped(record.provenance.model),
                          fmt::format("{} requests, {}, {}, hash {}", record.requests, escaped(record.source),
                                      escaped(record.arrivals), escaped(record.workload_hash)),
                          record.status ? runStatusName(*record.status) : "running", startedText(record),
                          fmt::format("{}", fmt::join(machine, ", "))});
    }
    return text + "\n";
}

// What the session repeats from elsewhere, beside these runs.
std::string published(const std::vector<StoredRun>& runs)
{
    std::vector<RunRecord> records;
    for (const auto& run : runs)
        records.push_back(run.record);
    const std::string table = repeatedMarkdown(publishedOfRuns(records, Registry::withBuiltinParts()));
    return table.empty() ? table : "## What was published\n\n" + table + "\n";
}

std::string colophon(const std::vector<StoredRun>& runs)
{
    std::set<std::string> versions;
    for (const auto& run : runs)
        if (!run.record.environment.version.empty())
            versions.insert(fmt::format("Batchscope {} ({})", run.record.environment.version,
                                        run.record.environment.commit));
    std::string text =
        fmt::format("---\n\nMade with {}.", versions.empty() ? std::string("Batchscope")
                                                             : fmt::format("{}", fmt::join(versions, ", ")));
    for (const auto& run : runs)
        text += fmt::format(" Run {}: {}.", run.record.id, run.record.uuid);
    return text + "\n";
}

} // namespace

std::string reportMarkdown(const std::vector<StoredRun>& given)
{
    std::vector<StoredRun> runs = given;
    for (auto& run : runs)
        if (!run.record.metrics && !run.log.empty())
            run.record.metrics = computeMetrics(run.log, run.record.strategy.slo);
    std::vector<RunRecord> records;
    for (const auto& run : runs)
        records.push_back(run.record);
    const auto groups = comparedGroups(records);
    std::vector<StoredRun> columns = middleRuns(groups, runs);
    const RepeatedComparison compared = compareRepeated(groups, columns);
    const Comparison& comparison = compared.comparison;
    const std::string session = runs.empty() ? "" : runs.front().record.session;
    std::string text = fmt::format("# {}\n\n**{}**\n\n", session.empty() ? "Report" : escaped(session),
                                   escaped(comparison.headline));
    text += why(comparison);
    text += comparability(comparison);
    text += load(comparison);
    text += deltas(compared);
    text += published(runs);
    text += waste(columns, comparison);
    text += strategies(columns, comparison);
    text += provenance(columns, comparison);
    text += reproduceMarkdown(runs);
    return text + colophon(runs);
}

} // namespace batchscope::sessions
