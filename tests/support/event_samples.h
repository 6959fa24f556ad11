// SPDX-License-Identifier: GPL-3.0-or-later
// Events for tests of what keeps or shows them.
#pragma once

#include "scheduler/event_log.h"

#include <cstdint>

namespace batchscope::tests {

// At least one event of every kind, with absent and present fields, negative and largest values, text that
// needs escaping. Not a possible run: for codecs, not for metrics.
EventLog everyKindOfEvent();

// A long log of plain events as a simulated run has them, in order of time.
EventLog manyEvents(std::size_t count, std::uint64_t seed);

} // namespace batchscope::tests
