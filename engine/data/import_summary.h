// SPDX-License-Identifier: GPL-3.0-or-later
// What an importer makes of a file, in figures: lengths, gaps, span. Holds a few numbers a request, no texts.
#pragma once

#include "engine/data/import.h"

namespace batchscope::engine {

struct LengthFigures // of a list of numbers; all 0 where it is empty
{
    std::size_t n = 0;
    double mean = 0, sd = 0;
    double p5 = 0, p25 = 0, p50 = 0, p75 = 0, p90 = 0, p95 = 0, p99 = 0, most = 0;
    bool operator==(const LengthFigures&) const = default;
};

struct ImportSummary
{
    ImportReport report;
    LengthFigures prompt_tokens, output_tokens, predicted_tokens, turns; // turns: of a conversation
    bool estimated = false; // lengths of texts: one token for every four bytes
    Nanos span_ns = 0;      // first to last arrival
    double gap_mean_s = 0, gap_cv = 0, gap_longest_s = 0;
    std::size_t clients = 0, prefix_groups = 0, largest_group = 0;
    bool operator==(const ImportSummary&) const = default;
};

ImportSummary summarizeImport(const std::filesystem::path& file, const ImportOptions& options);
std::string importText(const ImportSummary& summary); // lines for people

} // namespace batchscope::engine
