// SPDX-License-Identifier: GPL-3.0-or-later
// The log in memory, and the validator that rejects an impossible one.
#pragma once

#include "scheduler/event.h"

#include <span>
#include <string>
#include <vector>

namespace batchscope {

using EventLog = std::vector<Event>;

// Every fault found, in words ("event 812: row ended twice: request 14, batch 3"); empty = possible. Checks: time does
// not run backwards, every arrived request ends exactly once (unless cancelled, failed or interrupted), no slot is used
// twice at a time, spans of a batch follow each other without gap or overlap, step counts and token counts agree,
// an abandoned attempt is followed by another.
std::vector<std::string> validateLog(std::span<const Event> log);

} // namespace batchscope
