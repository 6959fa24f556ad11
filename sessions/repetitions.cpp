// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/repetitions.h"

#include "sessions/figure_text.h"

#include <algorithm>
#include <fmt/format.h>

namespace batchscope::sessions {

namespace {

constexpr const char* k_rate = "output_token_throughput"; // what the headline is about

std::optional<double> rateOf(const RunRecord& record)
{
    return record.metrics ? record.metrics->output_token_throughput : std::nullopt;
}

// The lower one of two in the middle; runs without a rate come first.
std::size_t middleOf(const std::vector<RunRecord>& records)
{
    std::vector<std::size_t> by_rate(records.size());
    for (std::size_t i = 0; i < by_rate.size(); ++i)
        by_rate[i] = i;
    std::stable_sort(by_rate.begin(), by_rate.end(),
                     [&](std::size_t a, std::size_t b) { return rateOf(records[a]) < rateOf(records[b]); });
    return by_rate[(by_rate.size() - 1) / 2];
}

std::optional<Spread> spreadOf(const MetricDefinition& metric, const RepeatedRun& run)
{
    std::vector<double> values;
    for (const RunRecord& record : run.records)
        if (record.metrics)
            if (const auto value = metric.value(*record.metrics)) values.push_back(*value);
    if (values.empty()) return std::nullopt;
    const Estimate estimate = medianEstimate(values);
    const Interval range = estimate.range.value_or(Interval{values.front(), values.front()});
    return Spread{range.low, *estimate.value, range.high, estimate.n, estimate.interval};
}

// Pairs have the same workload, or were measured in the same round of one press of Run.
std::optional<PairedDifference> pairedWith(const MetricDefinition& metric, const RepeatedRun& baseline,
                                           const RepeatedRun& run)
{
    const bool by_seed = variesWorkload(baseline) || variesWorkload(run);
    const bool one_press = baseline.records.front().experiment == run.records.front().experiment;
    if (!by_seed && !one_press) return std::nullopt;
    const auto figures = [&](const RepeatedRun& of) {
        std::vector<Repeated> all;
        for (const RunRecord& record : of.records) {
            if (!record.metrics) continue;
            const auto key = by_seed ? record.seed : static_cast<std::uint64_t>(record.repetition);
            if (const auto value = metric.value(*record.metrics)) all.push_back({key, *value});
        }
        return all;
    };
    PairedDifference paired = pairedDifference(figures(baseline), figures(run));
    if (paired.difference.n < 2) return std::nullopt;
    return paired;
}

// A single run says nothing of its own spread, but may lie in that of the other.
bool overlap(const std::optional<Spread>& a, const std::optional<Spread>& b)
{
    return a && b && std::max(a->n, b->n) > 1 && a->lowest <= b->highest && b->lowest <= a->highest;
}

// Whether a change may be none. The interval of the paired differences tells where there are enough pairs, or
// where each pair has a workload of its own; a few measurements of one workload tell by their ranges.
bool mayBeNone(const std::optional<PairedDifference>& paired, bool varies_workload,
               const std::optional<Spread>& baseline, const std::optional<Spread>& run)
{
    if (paired && (varies_workload || paired->difference.interval)) return paired->isOpen();
    return overlap(baseline, run);
}

bool isDifference(const ComparisonCell& cell)
{
    return !cell.change.empty() && cell.change != "the same";
}

struct RowOfRepeated
{
    const MetricDefinition& metric;
    std::vector<std::optional<Spread>> spreads;
    std::vector<std::optional<PairedDifference>> paired;
    bool varies_workload = false;
};

// Medians take the place of the figures of the runs in the middle, and changes follow, where a change is one
// of the figures alone (what compareRuns() says besides stays).
void putMedians(ComparisonRow& row, const RowOfRepeated& repeated)
{
    const auto& spreads = repeated.spreads;
    const std::vector<ComparisonCell> before = row.cells;
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
        ComparisonCell& cell = row.cells[i];
        if (spreads[i] && spreads[i]->n > 1) {
            const std::string mark = cell.text.ends_with(k_uncertain) ? k_uncertain : "";
            cell.value = spreads[i]->median;
            cell.text = figureText(repeated.metric, cell.value) + mark;
        }
        int direction = 0;
        if (i == 0 ||
            cell.change != changeText(repeated.metric, before[0].value, before[i].value, &direction))
            continue;
        cell.change = changeText(repeated.metric, row.cells[0].value, cell.value, &cell.direction);
        if (!isDifference(cell) ||
            !mayBeNone(repeated.paired[i], repeated.varies_workload, spreads[0], spreads[i]))
            continue;
        cell.change = k_within_noise;
        cell.direction = 0;
    }
}

// The other groups' middles have the first one's workload, where they ran it.
void alignMiddles(std::vector<RepeatedRun>& groups)
{
    if (groups.empty()) return;
    const std::string hash = groups.front().records[groups.front().middle].workload_hash;
    for (RepeatedRun& group : groups) {
        if (!variesWorkload(group)) continue;
        const auto same = std::find_if(group.records.begin(), group.records.end(),
                                       [&](const RunRecord& record) { return record.workload_hash == hash; });
        if (same != group.records.end())
            group.middle = static_cast<std::size_t>(same - group.records.begin());
    }
}

std::string signedFigure(const MetricDefinition& metric, double value)
{
    return (value > 0 ? "+" : "") + figureText(metric, value);
}

} // namespace

std::vector<RepeatedRun> groupRepetitions(const std::vector<RunRecord>& records)
{
    std::vector<RepeatedRun> groups;
    for (const RunRecord& record : records) {
        const auto group = std::find_if(groups.begin(), groups.end(), [&](const RepeatedRun& g) {
            return std::all_of(g.records.begin(), g.records.end(),
                               [&](const RunRecord& other) { return repeats(record, other); });
        });
        if (group == groups.end())
            groups.push_back({{record}, 0});
        else
            group->records.push_back(record);
    }
    for (RepeatedRun& group : groups) {
        std::stable_sort(group.records.begin(), group.records.end(),
                         [](const RunRecord& a, const RunRecord& b) { return a.repetition < b.repetition; });
        group.middle = middleOf(group.records);
    }
    alignMiddles(groups);
    return groups;
}

bool repeats(const RunRecord& one, const RunRecord& other)
{
    const auto counts = [](const RunRecord& r) {
        return !r.experiment.empty() && r.status == RunStatus::Completed && r.metrics;
    };
    return counts(one) && counts(other) && one.experiment == other.experiment && one.name == other.name &&
           one.order == other.order && one.strategy == other.strategy && one.provenance == other.provenance &&
           one.repetition != other.repetition &&
           (one.workload_hash == other.workload_hash || one.seed != other.seed);
}

bool variesWorkload(const RepeatedRun& run)
{
    return std::any_of(run.records.begin(), run.records.end(), [&](const RunRecord& record) {
        return record.workload_hash != run.records.front().workload_hash;
    });
}

std::vector<RepeatedRun> comparedGroups(const std::vector<RunRecord>& records)
{
    std::vector<RepeatedRun> groups = groupRepetitions(records);
    if (groups.size() != 1) return groups;
    groups.clear();
    for (const RunRecord& record : records)
        groups.push_back({{record}, 0});
    return groups;
}

std::string spreadText(const MetricDefinition& metric, const Spread& spread)
{
    if (spread.interval && spread.lowest != spread.highest)
        return fmt::format("[{}, {}]", figureText(metric, spread.interval->low),
                           figureText(metric, spread.interval->high));
    const double half = (spread.highest - spread.lowest) / 2;
    const std::string text = figureText(metric, half);
    return text.find_first_not_of("0.,") == std::string::npos ? std::string() : "±" + text;
}

bool RepeatedComparison::isRepeated() const
{
    return std::any_of(repetitions.begin(), repetitions.end(), [](std::int64_t n) { return n > 1; });
}

RepeatedComparison compareRepeated(const std::vector<RepeatedRun>& groups, std::vector<StoredRun> runs)
{
    RepeatedComparison result;
    const MetricDefinition* rate = findMetric(k_rate);
    for (std::size_t i = 0; i < groups.size(); ++i) {
        result.repetitions.push_back(static_cast<std::int64_t>(groups[i].records.size()));
        if (groups[i].records.size() < 2) continue;
        RunRecord& record = runs[i].record;
        record.repetition = 0; // stands for all of them: no number in its column's name
        // With an even number no run has the median itself; headline and table must not differ.
        if (const auto spread = spreadOf(*rate, groups[i]); spread && record.metrics)
            record.metrics->output_token_throughput = spread->median;
    }
    std::vector<RunRecord> all; // the headline rests on every repetition
    for (const RepeatedRun& group : groups)
        all.insert(all.end(), group.records.begin(), group.records.end());
    result.comparison = compareRuns(runs, all);
    result.varies_workload = std::any_of(groups.begin(), groups.end(), variesWorkload);
    if (!groups.empty())
        for (const RunRecord& record : groups.front().records)
            result.seeds.push_back(record.seed);
    for (ComparisonRow& row : result.comparison.rows) {
        std::vector<std::optional<Spread>> spreads(groups.size());
        std::vector<std::optional<PairedDifference>> paired(groups.size());
        if (const MetricDefinition* metric = findMetric(row.metric); metric && result.isRepeated()) {
            for (std::size_t i = 0; i < groups.size(); ++i) {
                spreads[i] = spreadOf(*metric, groups[i]);
                if (i > 0) paired[i] = pairedWith(*metric, groups[0], groups[i]);
            }
            putMedians(row, {*metric, spreads, paired, result.varies_workload});
        }
        for (auto& spread : spreads)
            if (spread && spread->n < 2) spread.reset();
        result.spreads.push_back(std::move(spreads));
        result.paired.push_back(std::move(paired));
    }
    return result;
}

std::vector<StoredRun> middleRuns(const std::vector<RepeatedRun>& groups, std::vector<StoredRun> runs)
{
    std::vector<StoredRun> middles;
    for (const RepeatedRun& group : groups) {
        const RunRecord& middle = group.records[group.middle];
        const auto run = std::find_if(runs.begin(), runs.end(),
                                      [&](const StoredRun& one) { return one.record.uuid == middle.uuid; });
        middles.push_back(std::move(*run));
        runs.erase(run);
    }
    return middles;
}

std::string pairedText(const MetricDefinition& metric, const PairedDifference& paired)
{
    const Estimate& difference = paired.difference;
    std::string text = "difference " + signedFigure(metric, difference.value.value_or(0));
    if (const auto& spread = difference.spread())
        text += fmt::format("{}[{}, {}]", difference.interval ? " " : ", range ",
                            signedFigure(metric, spread->low), signedFigure(metric, spread->high));
    return text +
           fmt::format(" over {} pairs: {} higher, {} lower", difference.n, paired.above, paired.below) +
           (paired.equal > 0 ? fmt::format(", {} the same", paired.equal) : "");
}

std::string RepeatedComparison::note() const
{
    if (!isRepeated()) return {};
    const auto most = *std::max_element(repetitions.begin(), repetitions.end());
    std::string text = fmt::format("Medians of {} repetitions, ", most);
    if (varies_workload && !seeds.empty())
        text += fmt::format("each on a workload of its own (seeds {} to {}), the same for every strategy",
                            seeds.front(), seeds.back());
    else
        text += "each a measurement of the same workload";
    text +=
        most < k_fewest_for_interval ? "; ± is half their range." : "; in brackets 95 % bootstrap intervals.";
    if (repetitions.size() > 1)
        text += fmt::format(" \"{}\": the differences, taken pair by pair, may be none.", k_within_noise);
    if (const std::string few = tooFewNote(most, 0.95); !few.empty()) text += " Mind: " + few + ".";
    return text;
}

} // namespace batchscope::sessions
