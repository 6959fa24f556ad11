// SPDX-License-Identifier: GPL-3.0-or-later
// What a run's load means for its figures: whether it kept up, how many were in flight (Little's law),
// whether anybody queued, what queueing theory gives, and which part of the run has figures of its own.
#pragma once

#include "sessions/run_record.h"

#include <string>
#include <vector>

namespace batchscope::sessions {

// One sentence or two each, in the order in which they are read; empty where nothing can be told.
std::vector<std::string> loadSentences(const RunRecord& record, const EventLog& log);

} // namespace batchscope::sessions
