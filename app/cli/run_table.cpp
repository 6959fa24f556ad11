// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/run_table.h"

#include "sessions/figure_text.h"
#include "sessions/report.h"
#include "sessions/text_table.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace batchscope::cli {
namespace {

using sessions::ComparisonCell;
using sessions::TextTable;

struct Column
{
    const char* metric; // as in the result JSON
    const char* heading;
};
constexpr Column k_columns[] = {
    {"effective_token_ratio_strict", "useful %"},
    {"makespan_s", "makespan s"},
    {"e2el_s.mean", "latency mean s"},
    {"e2el_s.p99", "latency p99 s"},
    {"rerun_ratio", "run again %"},
    {"predictor_time_share", "predictor %"},
};
constexpr std::size_t k_width = 100;

const ComparisonCell* cell(const sessions::Comparison& comparison, const std::string& metric, std::size_t run)
{
    const auto row = std::find_if(comparison.rows.begin(), comparison.rows.end(),
                                  [&](const auto& one) { return one.metric == metric; });
    return row == comparison.rows.end() ? nullptr : &row->cells[run];
}

std::string spread(const sessions::RepeatedComparison& compared, const std::string& metric, std::size_t run)
{
    const auto& rows = compared.comparison.rows;
    const auto row =
        std::find_if(rows.begin(), rows.end(), [&](const auto& one) { return one.metric == metric; });
    if (row == rows.end()) return {};
    const auto& found = compared.spreads[static_cast<std::size_t>(row - rows.begin())][run];
    return found ? sessions::spreadText(*findMetric(metric), *found) : std::string();
}

// The part of the runs that the session looks at by itself, with what is left out; empty without one.
std::string windowTable(const sessions::RepeatedComparison& compared)
{
    static constexpr Column k_window[] = {
        {"window.from_s", "from s"},
        {"window.to_s", "to s"},
        {"window.output_token_throughput", "tokens/s"},
        {"window.request_throughput", "requests/s"},
        {"window.e2el_s.mean", "latency mean s"},
        {"window.e2el_s.p99", "latency p99 s"},
        {"window.requests_before", "left out: before"},
        {"window.requests_after", "after"},
        {"window.completions_outside", "completions"},
        {"window.tokens_outside", "tokens"},
    };
    const auto& comparison = compared.comparison;
    std::vector<TextTable::Align> align{TextTable::Align::Left};
    std::vector<std::string> heading{"in the window"};
    for (const auto& column : k_window) {
        align.push_back(TextTable::Align::Right);
        heading.emplace_back(column.heading);
    }
    TextTable table(align);
    table.addRow(heading);
    bool has_window = false;
    for (std::size_t run = 0; run < comparison.names.size(); ++run) {
        std::vector<std::string> line{comparison.names[run]};
        for (const auto& column : k_window) {
            const auto* figure = cell(comparison, column.metric, run);
            has_window = has_window || (figure && figure->value);
            line.push_back(figure ? figure->text : "—");
        }
        table.addRow(line);
    }
    return has_window ? "\n" + table.text() : std::string();
}

// What is said of one run is not said again of the next.
std::string loadText(const sessions::Comparison& comparison)
{
    std::string text;
    std::set<std::string> told;
    for (std::size_t run = 0; run < comparison.load.size(); ++run) {
        bool named = false;
        for (const std::string& sentence : comparison.load[run]) {
            if (!told.insert(sentence).second) continue;
            text += sessions::wrapped((named ? "" : comparison.names[run] + ": ") + sentence, k_width) + "\n";
            named = true;
        }
    }
    return text.empty() ? text : "\n" + text;
}

} // namespace

std::string runTable(const sessions::RepeatedComparison& compared)
{
    const auto& comparison = compared.comparison;
    constexpr auto k_rate = "output_token_throughput";
    const bool repeated = compared.isRepeated();
    std::vector<TextTable::Align> align{TextTable::Align::Left, TextTable::Align::Right};
    std::vector<std::string> heading{"strategy", "tokens/s"};
    if (repeated) {
        align.push_back(TextTable::Align::Left);
        heading.emplace_back("");
    }
    align.push_back(TextTable::Align::Left);
    heading.emplace_back("");
    for (const auto& column : k_columns) {
        align.push_back(TextTable::Align::Right);
        heading.emplace_back(column.heading);
    }
    TextTable table(align);
    table.addRow(heading);
    for (std::size_t run = 0; run < comparison.names.size(); ++run) {
        const auto* rate = cell(comparison, k_rate, run);
        std::vector<std::string> line{comparison.names[run], rate ? rate->text : "—"};
        if (repeated) line.push_back(spread(compared, k_rate, run));
        line.push_back(rate ? rate->change : "");
        for (const auto& column : k_columns) {
            const auto* figure = cell(comparison, column.metric, run);
            line.push_back(figure ? figure->text : "—");
        }
        table.addRow(line);
    }
    std::string text = table.text();
    text += sessions::legendOf(text);
    if (!comparison.facts.empty())
        text += fmt::format("These figures are {}.\n", comparison.facts.front().provenance.sentence());
    if (repeated) text += sessions::wrapped(compared.note(), k_width) + "\n";
    text += windowTable(compared) + "\n";
    for (std::size_t run = 1; run < comparison.names.size(); ++run)
        for (const auto& difference : comparison.differences[run])
            text += fmt::format("{} differs from {}: {}: {} against {}\n", comparison.names[run],
                                comparison.names[0], difference.what, difference.other, difference.baseline);
    if (!comparison.headline.empty()) text += sessions::wrapped(comparison.headline, k_width) + "\n\n";
    return text + sessions::wrapped(comparison.why, k_width) + "\n" + loadText(comparison);
}

} // namespace batchscope::cli
