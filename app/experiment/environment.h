// SPDX-License-Identifier: GPL-3.0-or-later
// What a result must say about the machine and the program that made it.
#pragma once

#include "sessions/run_record.h"

#include <string>

namespace batchscope::app {

std::string programVersion(); // "0.1.0"
std::string programCommit();  // 12 hexadecimal digits, or "unknown" when not built from a checkout

// CPU name, hardware threads, version and commit; libraries and GPU are the loaded model's to add.
sessions::Environment readEnvironment();

// A random RFC 4122 (version 4) identifier: "3f0c…-…".
std::string makeUuid();

} // namespace batchscope::app
