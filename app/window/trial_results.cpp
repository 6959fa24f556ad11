// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/trial_results.h"

#include "sessions/figure_text.h"
#include "widgets/look/formats.h"
#include "widgets/panels/trials_page.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

namespace batchscope::window {
namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("TrialResults", text);
}

QString qt(const std::string& text)
{
    return QString::fromStdString(text);
}

widgets::Trial trialOf(const QString& name, const app::AdvisedFigures& figures)
{
    widgets::Trial trial;
    trial.name = name;
    trial.tokens_per_s = figures.tokens_per_s;
    trial.e2el_p99_s = figures.e2el_p99_s;
    trial.kv_bytes = figures.kv_bytes;
    return trial;
}

void addMark(QString& mark, const QString& word)
{
    mark += (mark.isEmpty() ? QString() : QStringLiteral(", ")) + word;
}

// The marks of the candidates that the advice names, by candidate.
std::map<std::size_t, QString> marksOf(const app::AdvisorResult& result)
{
    std::map<std::size_t, QString> marks;
    for (const app::Advice& advice : result.advice) {
        addMark(marks[advice.own], tr("yours: %1").arg(qt(result.candidates[advice.own].strategy.name)));
        if (advice.better && !marks[*advice.better].contains(tr("advised")))
            addMark(marks[*advice.better], tr("advised"));
    }
    if (result.advice.empty()) return marks;
    // The best and the oracle's best are the same for all own strategies.
    for (const app::Regret& regret : result.advice.front().regrets) {
        const bool is_rate = regret.figure == "throughput";
        if (!is_rate && regret.figure != "p99 latency") continue;
        if (regret.best) addMark(marks[*regret.best], is_rate ? tr("best throughput") : tr("best p99"));
        if (regret.oracle)
            addMark(marks[*regret.oracle],
                    is_rate ? tr("oracle's best throughput") : tr("oracle's best p99"));
    }
    return marks;
}

QString sweepWords(const widgets::Trials& trials)
{
    const auto& all = trials.all;
    if (all.empty()) return tr("No value could be run.");
    const auto by_rate = [](const auto& a, const auto& b) { return a.tokens_per_s < b.tokens_per_s; };
    const auto by_p99 = [](const auto& a, const auto& b) { return a.e2el_p99_s < b.e2el_p99_s; };
    const auto& fastest = *std::max_element(all.begin(), all.end(), by_rate);
    const auto& slowest = *std::min_element(all.begin(), all.end(), by_rate);
    const auto& quickest = *std::min_element(all.begin(), all.end(), by_p99);
    QStringList unbeaten;
    for (const auto& trial : all)
        if (trial.is_on_frontier) unbeaten << trial.name;
    return tr("The throughput lies between %1 tokens/s (%2) and %3 tokens/s (%4).\n\nThe p99 latency is "
              "shortest "
              "with %5: %6.\n\nBeaten by none in both: %7.")
        .arg(widgets::number(slowest.tokens_per_s, 1), slowest.name, widgets::number(fastest.tokens_per_s, 1),
             fastest.name, quickest.name, widgets::seconds(quickest.e2el_p99_s),
             unbeaten.join(QStringLiteral("; ")));
}

// Values around the present one: a quarter, half, itself, twice, four times, as far as the range goes.
std::string valuesAround(const ParamDescriptor& param, double value)
{
    const bool is_whole = param.type == ParamType::Integer;
    if (value == 0) value = is_whole ? 4 : 0.5;
    std::vector<std::string> values;
    for (const double factor : {0.25, 0.5, 1.0, 2.0, 4.0}) {
        double one = value * factor;
        if (is_whole) one = std::round(one);
        if ((param.minimum && one < *param.minimum) || (param.maximum && one > *param.maximum)) continue;
        const std::string text = is_whole ? fmt::format("{:.0f}", one) : fmt::format("{:g}", one);
        if (values.empty() || values.back() != text) values.push_back(text);
    }
    return fmt::format("{}", fmt::join(values, ","));
}

std::optional<double> numberOf(const ParamValue& value)
{
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
    if (const auto* real = std::get_if<double>(&value)) return *real;
    return std::nullopt;
}

// The orderings that the strategy may have.
std::string orderings(const Strategy& strategy, const Registry& registry)
{
    std::string names;
    for (const PartDescriptor* part : registry.parts(PartKind::Ordering)) {
        Strategy other = strategy;
        other.ordering = {part->type, {}};
        const auto problems = checkStrategy(other, registry, {true, false, true});
        if (std::any_of(problems.begin(), problems.end(),
                        [](const Problem& problem) { return problem.severity == Severity::Refused; }))
            continue;
        names += (names.empty() ? "" : ",") + part->type;
    }
    return names;
}

} // namespace

TrialOutcome outcomeOf(const app::AdvisorResult& result)
{
    TrialOutcome outcome;
    const auto marks = marksOf(result);
    std::size_t refused = 0;
    for (std::size_t i = 0; i < result.candidates.size(); ++i) {
        const app::Candidate& candidate = result.candidates[i];
        if (!candidate.figures) {
            ++refused;
            continue;
        }
        widgets::Trial trial = trialOf(qt(candidate.strategy.name), *candidate.figures);
        trial.is_on_frontier = candidate.is_on_frontier;
        trial.can_use = !candidate.is_own;
        if (candidate.is_own) trial.order = static_cast<int>(i); // they come first, in the session's order
        if (const auto mark = marks.find(i); mark != marks.end()) trial.mark = mark->second;
        outcome.trials.all.push_back(std::move(trial));
        outcome.strategies.push_back(candidate.strategy);
    }
    QStringList words;
    for (const app::Advice& advice : result.advice)
        words << qt(advice.words).replace(QLatin1Char('\n'), QLatin1String("\n\n"));
    outcome.trials.words = words.join(QLatin1String("\n\n"));
    for (const auto& note : result.notes)
        outcome.trials.notes << qt(note);
    if (refused > 0)
        outcome.trials.notes << tr("%1 of %2 strategies could not run with this workload and cost model.")
                                    .arg(refused)
                                    .arg(result.candidates.size());
    outcome.trials.notes << tr(
        "An error factor of 0.50 means that two of three predictions are within a factor of "
        "1.65 of the true length.");
    return outcome;
}

TrialOutcome outcomeOf(const app::Sweep& sweep, const app::SweepResult& result)
{
    TrialOutcome outcome;
    const bool is_of_strategy =
        std::none_of(result.axes.begin(), result.axes.end(),
                     [](const app::SweepAxis& axis) { return axis.key.starts_with("workload."); });
    constexpr std::size_t k_most_words = 16; // beside their marks
    std::string refusal;
    for (const app::SweepSummary& summary : result.summaries) {
        if (!summary.figures) {
            if (refusal.empty()) refusal = summary.refusal;
            continue;
        }
        const QString where = qt(app::Sweep::pointText(result, summary.point));
        widgets::Trial trial = trialOf(where, *summary.figures);
        trial.is_on_frontier = summary.is_on_frontier;
        trial.can_use = is_of_strategy;
        if (result.summaries.size() <= k_most_words) trial.mark = where;
        if (const auto& interval = summary.estimates.front().spread())
            trial.interval = QStringLiteral("[%1, %2]")
                                 .arg(widgets::number(interval->low, 1), widgets::number(interval->high, 1));
        outcome.trials.all.push_back(std::move(trial));
        Strategy strategy = sweep.strategyOf(summary);
        strategy.name += ", " + app::Sweep::pointText(result, summary.point);
        outcome.strategies.push_back(std::move(strategy));
    }
    outcome.trials.words = sweepWords(outcome.trials);
    if (result.repetitions > 1)
        outcome.trials.notes
            << tr("Medians of %1 repetitions, each on a workload of its own; in brackets %2.")
                   .arg(result.repetitions)
                   .arg(result.repetitions < k_fewest_for_interval ? tr("the least and the greatest")
                                                                   : tr("95 % bootstrap intervals"));
    for (const auto& note : result.notes)
        outcome.trials.notes << qt(note);
    if (!refusal.empty()) outcome.trials.notes << tr("Some values could not run: %1").arg(qt(refusal));
    return outcome;
}

std::vector<widgets::SweptParameter> sweptParameters(const sessions::SessionDocument& document,
                                                     const Strategy& strategy, const Registry& registry)
{
    std::vector<widgets::SweptParameter> parameters;
    const auto addPart = [&](PartKind kind) {
        const PartSpec& part = sessions::partOf(strategy, kind);
        const PartDescriptor* descriptor = registry.find(kind, part.type);
        if (!descriptor) return;
        for (const ParamDescriptor& param : descriptor->params) {
            const QString key = qt(partKindName(kind) + "." + param.name);
            const QString title = qt(descriptor->title + ": " + param.title);
            if (!param.choices.empty()) {
                parameters.push_back({key, title, qt(fmt::format("{}", fmt::join(param.choices, ",")))});
                continue;
            }
            if (param.type != ParamType::Integer && param.type != ParamType::Real) continue;
            const auto set = part.params.find(param.name);
            const auto value = numberOf(set == part.params.end() ? param.default_value : set->second);
            parameters.push_back({key, title, qt(valuesAround(param, value.value_or(0)))});
        }
    };
    addPart(PartKind::Batching); // what is varied most often stands first
    parameters.push_back(
        {QStringLiteral("ordering.type"), tr("Ordering"), qt(orderings(strategy, registry))});
    if (const auto rate = document.workload.arrivals.rate)
        parameters.push_back({QStringLiteral("workload.arrivals.rate"), tr("Workload: arrivals a second"),
                              qt(fmt::format("{:g},{:g},{:g},{:g},{:g}", *rate / 2, *rate * 0.75, *rate,
                                             *rate * 1.25, *rate * 1.5))});
    for (const PartKind kind : {PartKind::Predictor, PartKind::Ordering, PartKind::Correction})
        addPart(kind);
    return parameters;
}

} // namespace batchscope::window
