// SPDX-License-Identifier: GPL-3.0-or-later
// What changed between runs and why, in sentences made from the runs' own figures.
#pragma once

#include "sessions/run_record.h"

#include <string>
#include <vector>

namespace batchscope::sessions {

// One sentence for the top of a report: the best of the others against the first.
std::string headline(const std::vector<RunRecord>& runs);
// One paragraph. A cause is named only where the figures show it.
std::string explainRuns(const std::vector<RunRecord>& runs);

} // namespace batchscope::sessions
