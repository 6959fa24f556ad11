// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of a workload's source that a run takes, before arrivals and lengths are laid on them.
#pragma once

#include "engine/data/import.h"
#include "sessions/session_document.h"

#include <optional>
#include <string>
#include <vector>

namespace batchscope::app {

struct SourceRows
{
    std::string label; // "demo prompts", "file prompts.jsonl", "azure trace.csv"
    std::vector<engine::SourceRow>
        rows;                         // in the order of the workload; a conversation's turns stand together
    std::vector<std::string> skipped; // rows left out, with number and reason
    std::vector<std::string> notes;   // what was assumed, for people
    std::optional<engine::ImportReport> import; // of the file; none for a source without one
};

// All rows, or as many as workload.requests says: of a trace the first ones, of anything else a draw by the
// seed, which a request file keeps in file order. A file is never held whole: where not all rows are taken it
// is read twice. Throws DocumentError where there are too few.
SourceRows readSource(const sessions::SessionDocument& document);

} // namespace batchscope::app
