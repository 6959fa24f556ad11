// SPDX-License-Identifier: GPL-3.0-or-later
// Figures of a part of a run: without its warm-up, or in its steady state.
#pragma once

#include "scheduler/event.h"
#include "scheduler/metrics/metrics.h"
#include "scheduler/metrics/occupancy.h"

#include <optional>
#include <span>
#include <string>

namespace batchscope {

// From the end of the warm-up to the last completion; null where it leaves nothing.
std::optional<TimeSpan> afterWarmUp(std::span<const Event> log, const WarmUp& warm_up);

// What of the run is to be looked at: the window without the warm-up, no later than the last completion. Null
// where that leaves nothing.
std::optional<TimeSpan> measuredWindow(std::span<const Event> log, const MeasuredPart& part);
// "10.00 s to 60.00 s of the run: 31 requests arrived before and 4 after it, ..."
std::string windowWords(const WindowFigures& figures);

// Where the queueing delays, in order of arrival, have stopped climbing from the empty start: the truncation
// that leaves the mean with the least marginal standard error over batches of five (MSER-5; K. P. White,
// "An effective truncation heuristic for bias reduction in simulation output", Simulation 69 (1997)). How
// many of the first values to leave out; absent where the run is too short to tell (fewer than 50 values, or
// the best cut would lie in its second half).
std::optional<std::int64_t> settledAfter(std::span<const double> values);

// The steady state of a run whose slots need never have been all occupied: from where its queueing delays
// have settled to its last arrival (afterwards the queue only drains). Null where settledAfter is.
std::optional<TimeSpan> settledWindow(std::span<const Event> log);

WindowFigures windowFigures(std::span<const Event> log, TimeSpan window);

} // namespace batchscope
