// SPDX-License-Identifier: GPL-3.0-or-later
// A run record as the store keeps it: every field, read back equal. (The result JSON of cli.md is
// resultJson().)
#pragma once

#include "sessions/run_record.h"

#include <string>

namespace batchscope::sessions {

nlohmann::json recordToJson(const RunRecord& record);
// Fields that are absent (an older store) keep their defaults. Throws StoreError naming `name` where one is
// damaged.
RunRecord recordFromJson(const nlohmann::json& json, const std::string& name);

} // namespace batchscope::sessions
