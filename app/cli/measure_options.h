// SPDX-License-Identifier: GPL-3.0-or-later
// --warm-up and --window: which part of a run has figures of its own.
#pragma once

#include "sessions/session_document.h"

#include <string>

namespace batchscope::cli {

// "10s" (or "10 s") and "200r" (or "200 requests"). Throws UsageError naming what was found and what was
// expected.
void setWarmUp(sessions::MeasureSpec& measure, const std::string& text);
// "10:60", "10:" and ":60", in seconds.
void setWindow(sessions::MeasureSpec& measure, const std::string& text);

} // namespace batchscope::cli
