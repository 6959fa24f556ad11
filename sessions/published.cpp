// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/published.h"

#include "sessions/error.h"
#include "sessions/json_reader.h"
#include "sessions/set_values.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace batchscope::sessions {
namespace {

using Measure = PublishedFigure::Measure;

class FigureReader
{
public:
    explicit FigureReader(const SessionDocument& document) : m_document(document) {}

    PublishedFigure read(ObjectReader& entry, const std::string& source)
    {
        PublishedFigure figure;
        figure.strategy = strategy(entry, "strategy");
        if (figure.strategy.empty()) entry.fail("strategy", "the name of a strategy");
        figure.metric = entry.text("metric", "");
        if (findMetric(figure.metric) == nullptr)
            entry.fail("metric", "the name of a figure, as the result JSON has it");
        figure.label = entry.text("label", "");
        readMeasure(entry, figure);
        readValue(entry, figure);
        figure.offset = entry.real("offset", -1e9).value_or(0.0);
        figure.source = entry.text("source", source);
        figure.derived = entry.choice("basis", "published", {"published", "derived"}) == "derived";
        figure.reason = entry.text("reason", "");
        figure.as_published = strategy(entry, "as_published");
        figure.as_published_against = strategy(entry, "as_published_against");
        readPoints(entry, figure);
        entry.finish();
        return figure;
    }

private:
    std::string strategy(ObjectReader& entry, const char* key) const
    {
        const std::string name = entry.text(key, "");
        const auto& all = m_document.strategies;
        const bool known =
            std::any_of(all.begin(), all.end(), [&](const Strategy& s) { return s.name == name; });
        if (!name.empty() && !known) entry.fail(key, "the name of a strategy of this session");
        return name;
    }

    void readMeasure(ObjectReader& entry, PublishedFigure& figure) const
    {
        const std::string measure = entry.choice("measure", "value", {"value", "change", "ratio"});
        figure.measure = measure == "change"  ? Measure::Change
                         : measure == "ratio" ? Measure::Ratio
                                              : Measure::Value;
        figure.against = strategy(entry, "against");
        if ((figure.measure == Measure::Value) != figure.against.empty())
            entry.fail("against",
                       "the strategy that a change or a ratio is taken against, and for a value none");
    }

    // A number, or the two ends of a band.
    static void readValue(ObjectReader& entry, PublishedFigure& figure)
    {
        const nlohmann::json* value = entry.find("value");
        const bool band = value && value->is_array() && value->size() == 2 && (*value)[0].is_number() &&
                          (*value)[1].is_number();
        if (!band && (!value || !value->is_number()))
            entry.fail("value", "a number, or a list of two, [low, high]");
        figure.low = band ? (*value)[0].get<double>() : value->get<double>();
        figure.high = band ? (*value)[1].get<double>() : figure.low;
        if (figure.high < figure.low) entry.fail("value", "the lower number first");
    }

    void readPoints(ObjectReader& entry, PublishedFigure& figure) const
    {
        const nlohmann::json* at = entry.find("at");
        if (at == nullptr) {
            figure.points = {SessionPoint{}};
            return;
        }
        const auto point = [&entry](const nlohmann::json& object) {
            if (!object.is_object())
                entry.fail("at", "an object of --set keys and values, or a list of such");
            SessionPoint assignments;
            for (const auto& [key, value] : object.items())
                assignments.push_back(key + "=" + value.dump());
            return assignments;
        };
        if (at->is_array())
            for (const auto& each : *at)
                figure.points.push_back(point(each));
        else
            figure.points.push_back(point(*at));
        if (figure.points.empty()) entry.fail("at", "at least one point");
    }

    const SessionDocument& m_document;
};

// Values of one strategy at one point, by seed.
using BySeed = std::map<std::uint64_t, double>;

BySeed valuesOf(const std::string& strategy, const SessionPoint& point, const MetricDefinition& metric,
                std::span<const PointRun> runs)
{
    BySeed values;
    for (const PointRun& run : runs)
        if (run.strategy == strategy && run.point == point)
            if (const auto value = metric.value(run.metrics)) values.insert_or_assign(run.seed, *value);
    return values;
}

// Means over the points, a pair (own, other's) for each seed that all points have.
struct Pairs
{
    std::vector<double> own, other;
};

std::optional<Pairs> pairsOf(const PublishedFigure& figure, const std::string& strategy,
                             const std::string& against, std::span<const PointRun> runs)
{
    const MetricDefinition& metric = *findMetric(figure.metric);
    struct Sum
    {
        double own = 0, other = 0;
        std::size_t points = 0;
    };
    std::map<std::uint64_t, Sum> sums;
    for (const SessionPoint& point : figure.points) {
        const BySeed own = valuesOf(strategy, point, metric, runs);
        const BySeed other = against.empty() ? BySeed{} : valuesOf(against, point, metric, runs);
        for (const auto& [seed, value] : own) {
            const auto found = other.find(seed);
            if (!against.empty() && found == other.end()) continue;
            Sum& sum = sums[seed];
            sum.own += value;
            if (!against.empty()) sum.other += found->second;
            ++sum.points;
        }
    }
    Pairs pairs;
    const auto points = static_cast<double>(figure.points.size());
    for (const auto& [seed, sum] : sums)
        if (sum.points == figure.points.size()) {
            pairs.own.push_back(sum.own / points);
            pairs.other.push_back(sum.other / points);
        }
    return pairs.own.empty() ? std::nullopt : std::optional(std::move(pairs));
}

double meanOf(const std::vector<double>& values)
{
    double sum = 0;
    for (const double value : values)
        sum += value;
    return sum / static_cast<double>(values.size());
}

constexpr double k_normal_95 = 1.96; // quantile of the normal distribution

// Of the mean of the values; of a ratio of means by the delta method, pair by pair.
std::optional<double> halfWidth(const Pairs& pairs, double ratio, bool compared)
{
    const std::size_t n = pairs.own.size();
    if (n < 2) return std::nullopt;
    std::vector<double> residuals;
    for (std::size_t i = 0; i < n; ++i)
        residuals.push_back(pairs.own[i] - (compared ? ratio * pairs.other[i] : ratio));
    const double mean = meanOf(residuals);
    double squares = 0;
    for (const double residual : residuals)
        squares += (residual - mean) * (residual - mean);
    const double error = std::sqrt(squares / static_cast<double>(n - 1) / static_cast<double>(n));
    return k_normal_95 * error / (compared ? std::abs(meanOf(pairs.other)) : 1.0);
}

double differenceOf(double value, const PublishedFigure& figure)
{
    const double nearest = std::clamp(value, figure.low, figure.high);
    if (figure.measure == Measure::Change) return value - nearest;
    return nearest == 0 ? 0 : value / nearest - 1;
}

std::optional<Measured> measured(const PublishedFigure& figure, const std::string& strategy,
                                 const std::string& against, std::span<const PointRun> runs)
{
    const auto pairs = pairsOf(figure, strategy, against, runs);
    if (!pairs) return std::nullopt;
    const bool compared = !against.empty();
    const double other = compared ? meanOf(pairs->other) : 1.0;
    if (other == 0) return std::nullopt;
    Measured result;
    const double ratio = meanOf(pairs->own) / other;
    result.value = figure.measure == Measure::Change ? ratio - 1 : ratio + figure.offset;
    result.half_width = halfWidth(*pairs, ratio, compared);
    result.difference = differenceOf(result.value, figure);
    return result;
}

} // namespace

Published publishedFigures(const SessionDocument& document)
{
    Published published;
    published.repetitions = std::max(1, document.repetitions);
    const auto found = document.raw.find("published");
    if (found == document.raw.end()) return published;
    ReadContext context;
    context.file = document.file.string();
    ObjectReader reader(*found, "published", "/published", context);
    const std::string source = reader.text("source", "");
    if (const auto repetitions = reader.integer("repetitions", 1, 10'000))
        published.repetitions = static_cast<int>(*repetitions);
    const nlohmann::json* list = reader.find("figures");
    if (list == nullptr || !list->is_array()) reader.fail("figures", "a list of figures");
    FigureReader figures(document);
    for (std::size_t i = 0; i < list->size(); ++i) {
        ObjectReader entry((*list)[i], fmt::format("published.figures[{}]", i),
                           fmt::format("/published/figures/{}", i), context);
        published.figures.push_back(figures.read(entry, source));
    }
    reader.finish();
    if (!context.warnings.empty()) throw DocumentError(context.warnings.front());
    return published;
}

std::vector<Repeated> besidePublished(const std::vector<PublishedFigure>& figures,
                                      std::span<const PointRun> runs)
{
    std::vector<Repeated> rows;
    for (const PublishedFigure& figure : figures) {
        Repeated row{figure, measured(figure, figure.strategy, figure.against, runs), {}};
        if (!figure.as_published.empty()) {
            const std::string& other = figure.as_published_against;
            row.as_published =
                measured(figure, figure.as_published, other.empty() ? figure.against : other, runs);
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

SessionDocument atPoint(const SessionDocument& document, const SessionPoint& point, const Registry& registry)
{
    SessionDocument changed = document;
    setValues(changed, point, registry);
    return changed;
}

std::vector<PointRun> runsAtPoints(const SessionDocument& document, const Published& published,
                                   const std::vector<RunRecord>& records, const Registry& registry)
{
    const auto withoutSeed = [](nlohmann::json workload) {
        if (workload.is_object()) workload.erase("seed");
        return workload;
    };
    std::map<SessionPoint, SessionDocument> documents;
    for (const PublishedFigure& figure : published.figures)
        for (const SessionPoint& point : figure.points)
            if (!documents.contains(point)) documents.emplace(point, atPoint(document, point, registry));
    std::vector<PointRun> runs;
    for (const auto& [point, changed] : documents) {
        const nlohmann::json session = sessionToJson(changed);
        const nlohmann::json workload = withoutSeed(session["workload"]);
        for (const RunRecord& record : records) {
            if (record.status != RunStatus::Completed || !record.metrics) continue;
            if (withoutSeed(record.workload) != workload || record.backend != session["backend"]) continue;
            for (const Strategy& strategy : changed.strategies)
                if (completeStrategy(strategy, registry) == record.strategy)
                    runs.push_back({strategy.name, point, record.seed, *record.metrics});
        }
    }
    return runs;
}

std::vector<Repeated> publishedOfRuns(const std::vector<RunRecord>& records, const Registry& registry)
{
    std::vector<std::string> files;
    for (const RunRecord& record : records)
        if (!record.session_file.empty() &&
            std::find(files.begin(), files.end(), record.session_file) == files.end())
            files.push_back(record.session_file);
    std::vector<Repeated> rows;
    for (const std::string& file : files) {
        try {
            const SessionDocument document = readSession(file, registry);
            const Published published = publishedFigures(document);
            const auto runs = runsAtPoints(document, published, records, registry);
            for (Repeated& row : besidePublished(published.figures, runs))
                if (row.ours || row.as_published) rows.push_back(std::move(row));
        } catch (
            const DocumentError&) { // the runs stand by themselves: their session has been moved or changed
        }
    }
    return rows;
}

} // namespace batchscope::sessions
