// SPDX-License-Identifier: GPL-3.0-or-later
// Strategies as the objects of cli.md, read inside a document (session_document.h has the public functions).
#pragma once

#include "scheduler/registry.h"
#include "sessions/json_reader.h"

#include <string>
#include <vector>

namespace batchscope::sessions {

// registry absent: a stored strategy, whose parts may since have gone; every parameter is taken as it stands.
Strategy readStrategy(const nlohmann::json& json, const std::string& path, const std::string& pointer,
                      const Registry* registry, ReadContext& context);

// The value, checked against the parameter's type, range and choices; throws DocumentError naming `path`.
ParamValue typedParam(const nlohmann::json& value, const ParamDescriptor& param, const std::string& path,
                      const ReadContext& context);

// The types that the format names for a part, those of later versions included.
const std::vector<std::string>& formatTypes(PartKind kind);

} // namespace batchscope::sessions
