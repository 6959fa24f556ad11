// SPDX-License-Identifier: GPL-3.0-or-later
// Several "key=value" changes of a session at once.
#pragma once

#include "sessions/session_document.h"

#include <string>
#include <vector>

namespace batchscope::sessions {

// One assignment may need another (a process its rate): what is refused is tried again after the others.
// Throws DocumentError as setValue does.
void setValues(SessionDocument& document, std::vector<std::string> assignments, const Registry& registry);

} // namespace batchscope::sessions
