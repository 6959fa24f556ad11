// SPDX-License-Identifier: GPL-3.0-or-later
// Exports and reports of stored runs.
#pragma once

#include "sessions/run_store.h"

#include <string>
#include <vector>

namespace batchscope::sessions {

// The comparison that the CLI prints, reports contain and Compare shows: rows of metricDefinitions(), one
// column a run.
struct ComparisonCell
{
    std::optional<double> value;
    std::string text;   // formatted, "—" for null
    std::string change; // "2.04 × more", "57 % shorter", "+25.6 points", ""
    int direction = 0;  // +1 better, -1 worse than the baseline, 0 neither
};
struct ComparisonRow
{
    std::string metric, title, unit, formula;
    std::vector<ComparisonCell> cells; // cells[0]: baseline
    bool hasFigures() const;           // some run has a figure here that is not 0
    bool isShown() const; // has figures, or is one that its absence tells something of (fairness)
};
struct Comparison
{
    std::vector<RunFacts> facts;
    std::vector<std::string> names;
    std::vector<std::vector<Difference>> differences;    // per run against the baseline; [0] empty
    std::vector<std::optional<double>> output_agreement; // per run against the baseline
    std::vector<ComparisonRow> rows;
    std::string headline; // one sentence: the best of the others against the baseline, or why that is open
    std::string why;      // one line a run: what changed and why, in words, with this run's own figures
    std::vector<std::vector<std::string>> load; // per run: what its load means for its figures
};
// runs[0]: baseline. `repetitions`: every run of the strategies compared, where `runs` has one of each.
Comparison compareRuns(const std::vector<StoredRun>& runs, const std::vector<RunRecord>& repetitions = {});

std::string comparisonText(const Comparison& comparison); // aligned, for a terminal
std::string
reportMarkdown(const std::vector<StoredRun>& runs); // light, self-contained; ends with version and ids
std::string exportJson(const StoredRun& run);       // record, result figures, requests, events
std::string exportCsv(const StoredRun& run);        // one request a line, RFC 4180, units in the header
std::string exportEventsJsonl(const EventLog& log); // one event a line, deterministic bytes
void writeFileAtomically(const std::filesystem::path& file, const std::string& content);

} // namespace batchscope::sessions
