// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/published.h"

#include "sessions/error.h"
#include "sessions/json_reader.h"
#include "sessions/text_table.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace batchscope::sessions {
namespace {

std::string shown(double value, const MetricDefinition& metric)
{
    return metric.is_share ? fmt::format("{:.1f} %", 100 * value) : fmt::format("{:.2f}", value);
}

std::string percent(const std::optional<double>& difference)
{
    return difference ? fmt::format("{:+.1f} %", 100 * *difference) : std::string("—");
}

std::optional<double> median(std::vector<double> values)
{
    if (values.empty()) return std::nullopt;
    std::sort(values.begin(), values.end());
    return percentile(values, 0.5);
}

std::vector<std::string> cells(const Repeated& row)
{
    const MetricDefinition& metric = *findMetric(row.published.metric);
    return {row.published.strategy,
            row.unit.empty() ? row.title : fmt::format("{} ({})", row.title, row.unit),
            shown(row.published.value, metric),
            row.ours ? shown(*row.ours, metric) : std::string("—"),
            percent(row.difference),
            row.published.reason};
}

} // namespace

std::vector<PublishedFigure> publishedFigures(const SessionDocument& document)
{
    std::vector<PublishedFigure> figures;
    const auto list = document.raw.find("published");
    if (list == document.raw.end()) return figures;
    const auto refuse = [&document](const std::string& path, const std::string& what) {
        throw DocumentError(fmt::format("{}: {} {}", document.file.string(), path, what));
    };
    if (!list->is_array()) refuse("/published", "must be a list of figures");
    for (std::size_t i = 0; i < list->size(); ++i) {
        const std::string path = fmt::format("/published/{}", i);
        const nlohmann::json& entry = (*list)[i];
        if (!entry.is_object() || !entry.contains("value") || !entry["value"].is_number())
            refuse(path, "must be an object with strategy, metric and a number as value");
        PublishedFigure figure;
        figure.strategy = entry.value("strategy", "");
        figure.metric = entry.value("metric", "");
        figure.value = entry["value"].get<double>();
        figure.offset = entry.value("offset", 0.0);
        figure.source = entry.value("source", "");
        figure.reason = entry.value("reason", "");
        const bool has_strategy =
            std::any_of(document.strategies.begin(), document.strategies.end(),
                        [&figure](const Strategy& strategy) { return strategy.name == figure.strategy; });
        if (!has_strategy)
            refuse(path, fmt::format("names the strategy '{}', which the session does not have", figure.strategy));
        if (findMetric(figure.metric) == nullptr)
            refuse(path, fmt::format("names the metric '{}', which there is not (export --format json shows all)",
                                     figure.metric));
        figures.push_back(std::move(figure));
    }
    return figures;
}

std::vector<Repeated> besidePublished(const std::vector<PublishedFigure>& figures,
                                      const std::vector<RunRecord>& runs)
{
    std::vector<Repeated> rows;
    for (const PublishedFigure& figure : figures) {
        const MetricDefinition& metric = *findMetric(figure.metric);
        std::vector<double> values;
        for (const RunRecord& run : runs)
            if (run.name == figure.strategy && run.status == RunStatus::Completed && run.metrics)
                if (const auto value = metric.value(*run.metrics)) values.push_back(*value);
        Repeated row{figure, metric.title, metric.is_share ? std::string() : metric.unit, median(values), {}};
        if (row.ours) *row.ours += figure.offset;
        if (row.ours && figure.value != 0) row.difference = *row.ours / figure.value - 1;
        rows.push_back(std::move(row));
    }
    return rows;
}

std::string repeatedTable(const std::vector<Repeated>& rows)
{
    if (rows.empty()) return {};
    using Align = TextTable::Align;
    TextTable table({Align::Left, Align::Left, Align::Right, Align::Right, Align::Right});
    table.addRow({"Strategy", "Figure", "Published", "Ours", "Difference"});
    std::vector<std::string> reasons;
    for (const Repeated& row : rows) {
        std::vector<std::string> line = cells(row);
        line.pop_back();
        table.addRow(std::move(line));
        const std::string& reason = row.published.reason;
        if (!reason.empty() && std::find(reasons.begin(), reasons.end(), reason) == reasons.end())
            reasons.push_back(reason);
    }
    std::string text = table.text();
    for (const std::string& reason : reasons)
        text += wrapped("- " + reason, 100) + "\n";
    return text;
}

std::string repeatedMarkdown(const std::string& session, const std::vector<Repeated>& rows)
{
    std::string text = fmt::format("### {}\n\n| Strategy | Figure | Published | Ours | Difference | Why |\n"
                                   "| --- | --- | ---: | ---: | ---: | --- |\n",
                                   session);
    for (const Repeated& row : rows) {
        text += "|";
        for (const std::string& cell : cells(row))
            text += " " + cell + " |";
        text += "\n";
    }
    return text + "\n";
}

} // namespace batchscope::sessions
