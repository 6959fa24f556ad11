// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json.hpp>

namespace batchscope::sessions {

// The same document with its keys in the order in which people look for them: schema, type and name first.
nlohmann::ordered_json orderedForPeople(const nlohmann::json& json);

} // namespace batchscope::sessions
