// SPDX-License-Identifier: GPL-3.0-or-later
// Published figures beside ours, as tables.
#include "sessions/markdown_text.h"
#include "sessions/published.h"
#include "sessions/text_table.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace batchscope::sessions {
namespace {

using Measure = PublishedFigure::Measure;

constexpr const char* k_none = "—";

std::string number(double value, const PublishedFigure& figure)
{
    const MetricDefinition& metric = *findMetric(figure.metric);
    if (figure.measure == Measure::Change) return fmt::format("{:+.1f} %", 100 * value);
    if (figure.measure == Measure::Ratio) return fmt::format("{:.2f} x", value);
    if (metric.is_share) return fmt::format("{:.1f} %", 100 * value);
    return fmt::format("{:.{}f}", value, std::max(metric.decimals, 1));
}

std::string publishedText(const PublishedFigure& figure)
{
    std::string text = number(figure.low, figure);
    if (figure.high != figure.low) text += " to " + number(figure.high, figure);
    if (figure.derived) text += " (derived)";
    return text;
}

std::string measuredText(const std::optional<Measured>& measured, const PublishedFigure& figure)
{
    if (!measured) return k_none;
    std::string text = number(measured->value, figure);
    if (measured->half_width) {
        const bool in_percent = figure.measure == Measure::Change || findMetric(figure.metric)->is_share;
        text += in_percent ? fmt::format(" ± {:.1f}", 100 * *measured->half_width)
                           : fmt::format(" ± {:.2f}", *measured->half_width);
    }
    return text;
}

std::string differenceText(const std::optional<Measured>& measured, const PublishedFigure& figure)
{
    if (!measured) return k_none;
    if (figure.high != figure.low && measured->difference == 0) return "within";
    return fmt::format("{:+.1f} {}", 100 * measured->difference,
                       figure.measure == Measure::Change ? "points" : "%");
}

// "workload.arrivals.rate=0.2" as "rate 0.2": the rest of a key says nothing to who reads the table.
std::string assignmentText(const std::string& assignment)
{
    const auto equals = assignment.find('=');
    const std::string key = assignment.substr(0, equals);
    const auto dot = key.rfind('.');
    std::string name = dot == std::string::npos ? key : key.substr(dot + 1);
    std::replace(name.begin(), name.end(), '_', ' ');
    std::string value = equals == std::string::npos ? "" : assignment.substr(equals + 1);
    std::erase(value, '"');
    return name + " " + value;
}

std::string pointText(const SessionPoint& point)
{
    std::vector<std::string> parts;
    for (const std::string& assignment : point)
        parts.push_back(assignmentText(assignment));
    return fmt::format("{}", fmt::join(parts, ", "));
}

// One point whole; of several that differ in one value, that value's list.
std::string pointsText(const std::vector<SessionPoint>& points)
{
    if (points.size() == 1) return pointText(points.front());
    const bool single =
        std::all_of(points.begin(), points.end(), [](const SessionPoint& p) { return p.size() == 1; });
    if (!single) return fmt::format("mean over {} points", points.size());
    std::string text = pointText(points.front());
    for (std::size_t i = 1; i < points.size(); ++i) {
        const std::string next = pointText(points[i]);
        text += ", " + next.substr(next.rfind(' ') + 1);
    }
    return text + " (mean)";
}

// The metric's title without what every row would repeat.
std::string shortTitle(const MetricDefinition& metric)
{
    std::string title = metric.title;
    const auto drop = [&title](const std::string& words, const std::string& instead) {
        if (const auto at = title.find(words); at != std::string::npos)
            title.replace(at, words.size(), instead);
    };
    drop("End-to-end latency (JCT)", "JCT");
    drop(" (SSJF)", "");
    drop(" (paper)", "");
    drop("Requests per second at 25 % of the completions", "Throughput at 25 %");
    drop("Requests per second", "Throughput");
    return title;
}

std::string figureText(const PublishedFigure& figure)
{
    const MetricDefinition& metric = *findMetric(figure.metric);
    std::string text = shortTitle(metric);
    if (figure.measure == Measure::Value && !metric.is_share && !metric.unit.empty())
        text += fmt::format(" ({})", metric.unit);
    if (!figure.against.empty()) text += " against " + figure.against;
    const std::string points = pointsText(figure.points);
    return points.empty() ? text : text + "; " + points;
}

bool any(const std::vector<Repeated>& rows, std::string PublishedFigure::*member)
{
    return std::any_of(rows.begin(), rows.end(),
                       [member](const Repeated& row) { return !(row.published.*member).empty(); });
}

struct Grid
{
    std::vector<std::vector<std::string>> lines; // the first is the header
    std::vector<std::string> reasons;            // by number
    std::vector<TextTable::Align> align;
};

Grid gridOf(const std::vector<Repeated>& rows)
{
    using Align = TextTable::Align;
    const bool has_twins = any(rows, &PublishedFigure::as_published);
    Grid grid;
    grid.align = {Align::Left, Align::Left, Align::Right, Align::Right, Align::Right};
    grid.lines.push_back({"Row", "Figure", "Published", "Ours", "Difference"});
    if (has_twins) {
        grid.lines.front().insert(grid.lines.front().end(), {"With its quirks", "Difference"});
        grid.align.insert(grid.align.end(), {Align::Right, Align::Right});
    }
    grid.lines.front().emplace_back("Why");
    grid.align.push_back(Align::Left);
    for (const RepeatedTexts& row : repeatedTexts(rows)) {
        std::vector<std::string> line{row.row, row.figure, row.published, row.ours, row.difference};
        if (has_twins) line.insert(line.end(), {row.as_published, row.as_published_difference});
        std::string note;
        if (!row.reason.empty()) {
            const auto found = std::find(grid.reasons.begin(), grid.reasons.end(), row.reason);
            note = fmt::format("{}", found - grid.reasons.begin() + 1);
            if (found == grid.reasons.end()) grid.reasons.push_back(row.reason);
        }
        line.push_back(note);
        grid.lines.push_back(std::move(line));
    }
    return grid;
}

} // namespace

std::vector<RepeatedTexts> repeatedTexts(const std::vector<Repeated>& rows)
{
    std::vector<RepeatedTexts> texts;
    for (const Repeated& row : rows) {
        const PublishedFigure& figure = row.published;
        RepeatedTexts text;
        text.row = figure.label.empty() ? figure.strategy : figure.label;
        text.figure = figureText(figure);
        text.published = publishedText(figure);
        text.ours = measuredText(row.ours, figure);
        text.difference = differenceText(row.ours, figure);
        if (!figure.as_published.empty()) {
            text.as_published = measuredText(row.as_published, figure);
            text.as_published_difference = differenceText(row.as_published, figure);
        }
        text.source = figure.source;
        text.reason = figure.reason;
        texts.push_back(std::move(text));
    }
    return texts;
}

std::string repeatedTable(const std::vector<Repeated>& rows)
{
    if (rows.empty()) return {};
    const Grid grid = gridOf(rows);
    TextTable table(grid.align);
    for (const auto& line : grid.lines)
        table.addRow(line);
    std::string text = table.text();
    for (std::size_t i = 0; i < grid.reasons.size(); ++i)
        text += wrapped(fmt::format("{}: {}", i + 1, grid.reasons[i]), 110) + "\n";
    return text;
}

std::string repeatedMarkdown(const std::vector<Repeated>& rows)
{
    if (rows.empty()) return {};
    const Grid grid = gridOf(rows);
    std::string text;
    for (std::size_t i = 0; i < grid.lines.size(); ++i) {
        text += "|";
        for (const std::string& cell : grid.lines[i])
            text += fmt::format(" {} |", escaped(cell));
        text += "\n";
        if (i > 0) continue;
        for (const auto align : grid.align)
            text += align == TextTable::Align::Right ? "| ---: " : "| --- ";
        text += "|\n";
    }
    if (!grid.reasons.empty()) text += "\n";
    for (std::size_t i = 0; i < grid.reasons.size(); ++i)
        text += fmt::format("{}. {}\n", i + 1, escaped(grid.reasons[i]));
    return text;
}

} // namespace batchscope::sessions
