// SPDX-License-Identifier: GPL-3.0-or-later
// What a sweep and the advisor ask of a session before they run any of it.
#pragma once

#include "sessions/session_document.h"

#include <cstddef>
#include <string>
#include <vector>

namespace batchscope::app {

// Throws DocumentError where the simulator, which many runs need, cannot run the session, with the remedy.
void requireSimulated(const sessions::SessionDocument& document, const Registry& registry);

// Places in the session of the strategies of these names (none: all), in the session's order. Throws
// DocumentError naming those that exist.
std::vector<std::size_t> chosenStrategies(const sessions::SessionDocument& document,
                                          const std::vector<std::string>& wanted);

} // namespace batchscope::app
