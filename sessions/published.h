// SPDX-License-Identifier: GPL-3.0-or-later
// Figures that a session repeats from a paper, its code or a re-run of it ("published" in the session file),
// and ours beside them: the difference, its reason, and what is left of it where a strategy repeats what the
// published code did.
#pragma once

#include "scheduler/metrics/metrics.h"
#include "sessions/run_record.h"
#include "sessions/session_document.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace batchscope::sessions {

// Where in a session's parameters a run stands: assignments as --set takes them,
// "workload.arrivals.rate=0.2"; none: the session as it is.
using SessionPoint = std::vector<std::string>;

struct PublishedFigure
{
    // Value: of the strategy. Change: against another's, -0.3 for 30 % less. Ratio: to another's, 2.2 for 2.2
    // x.
    enum class Measure { Value, Change, Ratio };
    std::string strategy; // of the session
    std::string metric;   // a metricDefinitions() name
    std::string label;    // of the row in the source; empty: the strategy
    Measure measure = Measure::Value;
    std::string against; // Change, Ratio: the strategy that it is compared with
    double low = 0.0,
           high = 0.0;   // in the metric's unit, a share as 0...1; the same unless a band was published
    double offset = 0.0; // added to ours first: the published code counts so much more
    std::vector<SessionPoint> points; // the figure is of their mean; never empty
    std::string source;               // "Sequence-Scheduling, Table 5"
    bool derived = false;             // by a re-run of the published code, not printed by its authors
    std::string reason;               // why ours may differ; empty: none is known
    std::string as_published;         // a strategy that does as the published code did; empty: none
    std::string as_published_against; // ... compared with this one; empty: with `against`
    bool operator==(const PublishedFigure&) const = default;
};

struct Published
{
    int repetitions = 1; // of each run, each of another seed
    std::vector<PublishedFigure> figures;
};

// Throws DocumentError naming the JSON path where a figure names no strategy of the session or no metric.
Published publishedFigures(const SessionDocument& document);

// A run at a point of the session. Repetitions are told apart by their seeds.
struct PointRun
{
    std::string strategy;
    SessionPoint point;
    std::uint64_t seed = 0;
    RunMetrics metrics;
};

struct Measured
{
    double value = 0.0;
    std::optional<double> half_width; // of the 95 % interval of a mean; absent: fewer than two repetitions
    double difference = 0.0; // of what was published: relative for values and ratios, in points for changes;
                             // from the nearer end of a band, 0 within it
    bool operator==(const Measured&) const = default;
};

struct Repeated
{
    PublishedFigure published;
    std::optional<Measured> ours;         // mean over the runs; absent: not all that it needs were run
    std::optional<Measured> as_published; // of the strategy that does as the published code did
};
std::vector<Repeated> besidePublished(const std::vector<PublishedFigure>& figures,
                                      std::span<const PointRun> runs);

// Stored runs of this very session: those whose workload and strategy are the session's at a point of a
// figure. Of runs that were repeated with one seed the last counts.
std::vector<PointRun> runsAtPoints(const SessionDocument& document, const Published& published,
                                   const std::vector<RunRecord>& records, const Registry& registry);

// Of stored runs: the published figures of the session file that they were made from, as far as they tell
// something of them. Empty where the file is gone or no session any more, or where nothing was published.
std::vector<Repeated> publishedOfRuns(const std::vector<RunRecord>& records, const Registry& registry);

// The session at that point. Throws DocumentError as setValue does.
SessionDocument atPoint(const SessionDocument& document, const SessionPoint& point, const Registry& registry);

// What a table of published figures shows, a row a figure.
struct RepeatedTexts
{
    std::string row;    // the strategy, or what the source calls it
    std::string figure; // "Requests per second", "mean JCT against fcfs", with the point
    std::string published, ours, difference, as_published, as_published_difference;
    std::string source, reason;
};
std::vector<RepeatedTexts> repeatedTexts(const std::vector<Repeated>& rows);

// A table for a terminal, or for a Markdown file, with the reasons numbered below it. Empty where nothing was
// published.
std::string repeatedTable(const std::vector<Repeated>& rows);
std::string repeatedMarkdown(const std::vector<Repeated>& rows);

} // namespace batchscope::sessions
