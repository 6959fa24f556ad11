// SPDX-License-Identifier: GPL-3.0-or-later
// Who writes a run: a process, told apart from a later one with the same number by its start and by the boot.
#pragma once

#include <string>

namespace batchscope::sessions {

std::string ownProcess();                        // "4711 8813724 2f0c...-boot-id"
bool isProcessAlive(const std::string& process); // false too where it was on another boot, or is unreadable

} // namespace batchscope::sessions
