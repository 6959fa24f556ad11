// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/repetitions.h"

#include "sessions/figure_text.h"

#include <algorithm>
#include <fmt/format.h>

namespace batchscope::sessions {

namespace {

constexpr const char* k_rate = "output_token_throughput"; // what the headline is about

bool repeats(const RunRecord& one, const RunRecord& other)
{
    const auto counts = [](const RunRecord& r) {
        return !r.experiment.empty() && r.status == RunStatus::Completed && r.metrics;
    };
    return counts(one) && counts(other) && one.experiment == other.experiment && one.name == other.name &&
           one.order == other.order && one.strategy == other.strategy &&
           one.workload_hash == other.workload_hash && one.provenance == other.provenance &&
           one.repetition != other.repetition;
}

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
    std::sort(values.begin(), values.end());
    return Spread{values.front(), *percentile(values, 0.5), values.back(),
                  static_cast<std::int64_t>(values.size())};
}

// A single run says nothing of its own spread, but may lie in that of the other.
bool overlap(const std::optional<Spread>& a, const std::optional<Spread>& b)
{
    return a && b && std::max(a->n, b->n) > 1 && a->lowest <= b->highest && b->lowest <= a->highest;
}

bool isDifference(const ComparisonCell& cell)
{
    return !cell.change.empty() && cell.change != "the same";
}

// Medians take the place of the figures of the runs in the middle, and changes follow, where a change is one
// of the figures alone (what compareRuns() says besides stays).
void putMedians(ComparisonRow& row, const MetricDefinition& metric,
                const std::vector<std::optional<Spread>>& spreads)
{
    const std::vector<ComparisonCell> before = row.cells;
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
        ComparisonCell& cell = row.cells[i];
        if (spreads[i] && spreads[i]->n > 1) {
            const std::string mark = cell.text.ends_with("†") ? "†" : "";
            cell.value = spreads[i]->median;
            cell.text = figureText(metric, cell.value) + mark;
        }
        int direction = 0;
        if (i == 0 || cell.change != changeText(metric, before[0].value, before[i].value, &direction))
            continue;
        cell.change = changeText(metric, row.cells[0].value, cell.value, &cell.direction);
        if (!isDifference(cell) || !overlap(spreads[0], spreads[i])) continue;
        cell.change = k_within_noise;
        cell.direction = 0;
    }
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
    return groups;
}

std::string spreadText(const MetricDefinition& metric, const Spread& spread)
{
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
    for (ComparisonRow& row : result.comparison.rows) {
        std::vector<std::optional<Spread>> spreads;
        if (const MetricDefinition* metric = findMetric(row.metric); metric && result.isRepeated()) {
            for (const RepeatedRun& group : groups)
                spreads.push_back(spreadOf(*metric, group));
            putMedians(row, *metric, spreads);
        }
        spreads.resize(groups.size());
        for (auto& spread : spreads)
            if (spread && spread->n < 2) spread.reset();
        result.spreads.push_back(std::move(spreads));
    }
    return result;
}

} // namespace batchscope::sessions
