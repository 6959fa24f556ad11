// SPDX-License-Identifier: GPL-3.0-or-later
// A distribution as JSON: {"distribution": "lognormal", "mean": 160, "sigma": 0.8}. Included by source files
// only.
#pragma once

#include "scheduler/workload/distributions.h"
#include "sessions/json_reader.h"

#include <optional>

namespace batchscope::sessions {

// Absent or null: none. A bare number is a fixed value. Throws DocumentError naming path, value found and
// value expected.
std::optional<Distribution> readDistribution(ObjectReader& parent, const std::string& key);
nlohmann::json distributionToJson(const Distribution& distribution);

std::vector<std::string> distributionKeys(); // "distribution", "value", "min", ...

} // namespace batchscope::sessions
