// SPDX-License-Identifier: GPL-3.0-or-later
// The table at the end of `run`: one line a strategy, the figures that decide. `compare` has all of them.
#pragma once

#include "sessions/run_store.h"

#include <string>
#include <vector>

namespace batchscope::cli {

// runs[0]: baseline, one run a strategy; `repetitions`: all runs of them.
std::string runTable(const std::vector<sessions::StoredRun>& runs,
                     const std::vector<sessions::RunRecord>& repetitions);

} // namespace batchscope::cli
