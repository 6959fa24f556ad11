// SPDX-License-Identifier: GPL-3.0-or-later
// The table at the end of `run`: one line a strategy, the figures that decide. `compare` has all of them.
#pragma once

#include "sessions/repetitions.h"

#include <string>

namespace batchscope::cli {

std::string runTable(const sessions::RepeatedComparison& compared);

} // namespace batchscope::cli
