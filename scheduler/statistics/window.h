// SPDX-License-Identifier: GPL-3.0-or-later
// Figures of a part of a run: without its warm-up, or in its steady state. Everything is credited at its own
// time - a token at the end of its pass, a completion when it happened, a latency to the moment at which its
// request arrived - so that nothing bends at the window's edge; what is left out is counted.
#pragma once

#include "scheduler/event.h"
#include "scheduler/metrics/metrics.h"
#include "scheduler/metrics/occupancy.h"

#include <optional>
#include <span>

namespace batchscope {

// What is not counted at the beginning, whichever ends later; both absent: nothing.
struct WarmUp
{
    std::optional<std::int64_t> requests = {}; // the first so many by arrival
    std::optional<Nanos> duration_ns = {};     // from the first arrival
    bool operator==(const WarmUp&) const = default;
};

// From the end of the warm-up to the last completion; null where it leaves nothing.
std::optional<TimeSpan> afterWarmUp(std::span<const Event> log, const WarmUp& warm_up);

// Where the queueing delays, in order of arrival, have stopped climbing from the empty start: the truncation
// that leaves the mean with the least marginal standard error over batches of five (MSER-5; K. P. White,
// "An effective truncation heuristic for bias reduction in simulation output", Simulation 69 (1997)). How
// many of the first values to leave out; absent where the run is too short to tell (fewer than 50 values, or
// the best cut would lie in its second half).
std::optional<std::int64_t> settledAfter(std::span<const double> values);

// The steady state of a run whose slots need never have been all occupied: from where its queueing delays
// have settled to its last arrival (afterwards the queue only drains). Null where settledAfter is.
std::optional<TimeSpan> settledWindow(std::span<const Event> log);

struct WindowFigures
{
    TimeSpan window; // [from, to)
    std::int64_t completions = 0, tokens = 0;
    std::optional<double> request_throughput, output_token_throughput; // in the window / its length
    Summary e2el_s, ttft_s, queueing_delay_s; // of the requests that arrived in the window and completed
    // Left out: requests that arrived before and after the window, completions and useful tokens outside it.
    std::int64_t requests_before = 0, requests_after = 0, completions_outside = 0, tokens_outside = 0;
    bool operator==(const WindowFigures&) const = default;
};
WindowFigures windowFigures(std::span<const Event> log, TimeSpan window);

} // namespace batchscope
