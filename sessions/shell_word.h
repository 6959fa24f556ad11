// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace batchscope::sessions {

// The text as one word of a POSIX shell's command line; quoted where it must be.
std::string shellWord(const std::string& text);

} // namespace batchscope::sessions
