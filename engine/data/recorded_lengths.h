// SPDX-License-Identifier: GPL-3.0-or-later
// Output lengths that were recorded earlier, by the label of the request.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace batchscope::engine {

// A request file (.jsonl, .csv) with `id` and `output_tokens`, or the reference project's JSON list of {"id",
// "L_t0.0", "L_gt", ...}, of which the greedy length L_t0.0 counts, or else L_gt. Throws
// EngineError(InvalidFile) naming file and entry; two different lengths for one id are refused. A row without
// an id goes by rowLabel().
std::map<std::string, int> readRecordedLengths(const std::filesystem::path& file);

} // namespace batchscope::engine
