// SPDX-License-Identifier: GPL-3.0-or-later
// A grid over a session's parameters: every point x strategy x repetition, run on the simulator on all cores.
#pragma once

#include "app/experiment/advisor.h"
#include "app/experiment/experiment.h"
#include "scheduler/statistics/paired.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace batchscope::app {

struct SweepAxis
{
    std::string key;                 // as --set has it: "batching.rows", "workload.arrivals.rate"
    std::vector<std::string> values; // JSON, or else text
    bool operator==(const SweepAxis&) const = default;
};

// "batching.rows=1,2,4,8", or from:to:step with both ends, "workload.arrivals.rate=0.1:1.0:0.1". Throws
// DocumentError naming what was found and what was expected.
SweepAxis parseSweepAxis(const std::string& text);

struct SweepOptions
{
    std::vector<SweepAxis> axes;         // none: the session as it is
    std::vector<std::string> strategies; // names; empty: all
    std::optional<int> repetitions;      // absent: the session's
    std::vector<std::string> metrics;    // names of metricDefinitions(); empty: those that decide
    int threads = 0;                     // 0: one for each core
    std::function<void(std::size_t done, std::size_t all)> progressed;
};

struct SweepRun
{
    std::size_t point = 0, strategy = 0;
    int repetition = 0;
    std::uint64_t seed = 0;                    // of its workload: the session's + repetition
    std::vector<std::optional<double>> values; // by metric
    std::string refusal;                       // why there are none
    std::optional<double> theory_wait_s; // mean queueing delay that queueing theory gives, where it does
    std::optional<AdvisedFigures>
        figures; // what is traded against each other, whatever metrics were asked for
};

struct SweepSummary // of the repetitions of one strategy at one point, by metric
{
    std::size_t point = 0, strategy = 0;
    std::vector<Estimate> estimates;
    std::vector<PairedDifference> against_first; // the first strategy at the same point; its own are empty
    std::optional<double> theory_wait_s;         // median over the repetitions
    std::string refusal;                         // the first repetition's
    std::optional<AdvisedFigures> figures;       // medians
    bool is_on_frontier =
        false; // Pareto: no other line has more throughput and no longer p99, or as much and shorter
};

struct SweepResult
{
    std::string session;
    std::vector<SweepAxis> axes;
    std::vector<std::vector<std::string>> points; // a value of each axis; the last axis runs fastest
    std::vector<std::string> strategies, metrics;
    int repetitions = 1;
    std::vector<SweepRun> runs;          // by point, strategy, repetition
    std::vector<SweepSummary> summaries; // by point, strategy
    std::vector<std::string> notes;      // of the workloads: what was assumed, what was left out
};

class Sweep
{
public:
    // Reads nothing but the document, and throws DocumentError or SchedulerError for what no point could run.
    Sweep(const sessions::SessionDocument& document, SweepOptions options);

    std::size_t runCount() const;
    // The strategy that a summary is of, and the document that a point makes of the session.
    Strategy strategyOf(const SweepSummary& summary) const;
    const sessions::SessionDocument& documentAt(std::size_t point) const { return m_documents[point]; }
    std::size_t pointCount() const { return m_points.size(); }
    // "rows 8, rate 2": a point in the words of its axes; empty without axes.
    static std::string pointText(const SweepResult& sweep, std::size_t point);
    // The same bytes for any number of threads. Throws as simulateAll does.
    SweepResult run(const std::stop_token& stop) const;

private:
    SweepOptions m_options;
    Registry m_registry;
    std::vector<std::vector<std::string>> m_points;
    std::vector<sessions::SessionDocument> m_documents; // by point
    std::vector<std::size_t> m_chosen;                  // strategies, by their place in the session
    int m_repetitions = 1;
};

std::string sweepTable(const SweepResult& sweep); // for a terminal
std::string sweepJson(const SweepResult& sweep);
std::string sweepMarkdown(const SweepResult& sweep);
std::string sweepCsv(const SweepResult& sweep); // a run a line

} // namespace batchscope::app
