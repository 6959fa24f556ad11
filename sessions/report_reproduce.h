// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "sessions/run_store.h"

#include <string>
#include <vector>

namespace batchscope::sessions {

// The report's section on how to get the same runs again: commands, backend and workload, and a session file.
std::string reproduceMarkdown(const std::vector<StoredRun>& runs);

} // namespace batchscope::sessions
