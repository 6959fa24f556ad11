// SPDX-License-Identifier: GPL-3.0-or-later
// The workload of a session file (cli.md) as values and back. Included by source files only.
#pragma once

#include "sessions/json_reader.h"
#include "sessions/session_document.h"

namespace batchscope::sessions {

WorkloadSpec readWorkload(ObjectReader& document); // defaults where the document has none
nlohmann::json workloadToJson(const WorkloadSpec& workload);

// Keys below "workload" that --set may name.
std::vector<std::string> workloadKeys();

} // namespace batchscope::sessions
