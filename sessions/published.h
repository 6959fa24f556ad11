// SPDX-License-Identifier: GPL-3.0-or-later
// Figures that a session repeats from a paper or a repository ("published" in the session file), and ours beside
// them: the difference and, where it has one, its reason.
#pragma once

#include "sessions/run_record.h"
#include "sessions/session_document.h"

#include <optional>
#include <string>
#include <vector>

namespace batchscope::sessions {

struct PublishedFigure
{
    std::string strategy; // of the session
    std::string metric;   // a metricDefinitions() name
    double value = 0.0;   // in that metric's unit; a share as 0...1
    double offset = 0.0;  // added to ours first: the published code counts so much more
    std::string source;   // "Sequence-Scheduling, Table 5"
    std::string reason;   // why ours may differ; empty: none is known
    bool operator==(const PublishedFigure&) const = default;
};

// Throws DocumentError naming the JSON path where a figure names no strategy of the session or no metric.
std::vector<PublishedFigure> publishedFigures(const SessionDocument& document);

struct Repeated
{
    PublishedFigure published;
    std::string title, unit;
    std::optional<double> ours;       // median over the runs of that strategy; absent: it was not run
    std::optional<double> difference; // ours / published - 1
    bool operator==(const Repeated&) const = default;
};
std::vector<Repeated> besidePublished(const std::vector<PublishedFigure>& figures,
                                      const std::vector<RunRecord>& runs);

// A table for a terminal, or for a Markdown file. Empty where nothing was published.
std::string repeatedTable(const std::vector<Repeated>& rows);
std::string repeatedMarkdown(const std::string& session, const std::vector<Repeated>& rows);

} // namespace batchscope::sessions
