// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/run_table.h"

#include "sessions/figure_text.h"
#include "sessions/report.h"
#include "sessions/text_table.h"

#include <algorithm>
#include <fmt/format.h>

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

} // namespace

std::string runTable(const std::vector<sessions::StoredRun>& runs,
                     const std::vector<sessions::RunRecord>& repetitions)
{
    const auto comparison = sessions::compareRuns(runs, repetitions);
    constexpr auto k_rate = "output_token_throughput";
    std::vector<TextTable::Align> align{TextTable::Align::Left, TextTable::Align::Right,
                                        TextTable::Align::Left};
    std::vector<std::string> heading{"strategy", "tokens/s", ""};
    for (const auto& column : k_columns) {
        align.push_back(TextTable::Align::Right);
        heading.emplace_back(column.heading);
    }
    TextTable table(align);
    table.addRow(heading);
    for (std::size_t run = 0; run < runs.size(); ++run) {
        const auto* rate = cell(comparison, k_rate, run);
        std::vector<std::string> line{comparison.names[run], rate ? rate->text : "—",
                                      rate ? rate->change : ""};
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
    text += "\n";
    for (std::size_t run = 1; run < runs.size(); ++run)
        for (const auto& difference : comparison.differences[run])
            text += fmt::format("{} differs from {}: {}: {} against {}\n", comparison.names[run],
                                comparison.names[0], difference.what, difference.other, difference.baseline);
    if (!comparison.headline.empty()) text += sessions::wrapped(comparison.headline, k_width) + "\n\n";
    return text + sessions::wrapped(comparison.why, k_width) + "\n";
}

} // namespace batchscope::cli
