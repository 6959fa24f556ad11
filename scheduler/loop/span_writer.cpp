// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/loop/span_writer.h"

#include "scheduler/loop/loop_core.h"

#include <fmt/core.h>
#include <limits>

namespace batchscope {
namespace {

constexpr Nanos k_longest_span_ns = 50'000'000;

} // namespace

Nanos longestSpanEnd(const LoopCore& core, Nanos start_ns)
{
    return core.isVirtual() ? std::numeric_limits<Nanos>::max() : start_ns + k_longest_span_ns;
}

void checkResult(const LoopCore& core, BatchIndex batch, const PassResult& result, std::uint32_t at_most)
{
    if (result.steps < 1 || result.steps > at_most)
        throw BackendError(fmt::format("the backend ran {} passes of batch {}, expected 1 to {}",
                                       result.steps, batch, at_most));
    const std::size_t durations = core.isVirtual() ? 0 : result.steps;
    if (result.durations_ns.size() != durations)
        throw BackendError(fmt::format("the backend gave {} durations for {} passes of batch {}, expected {}",
                                       result.durations_ns.size(), result.steps, batch, durations));
}

void emitSpan(LoopCore& core, const SpanStart& start, const PassResult& result,
              const std::vector<PromptRead>& reads)
{
    Steps span;
    span.batch = start.batch;
    span.first_step = start.steps + 1;
    span.count = result.steps;
    span.start_ns = start.start_ns;
    span.reads = reads;
    if (core.isVirtual()) {
        span.start_ps = start.start_ps;
        span.first_ps = result.first_ps;
        span.growth_ps = result.growth_ps;
        core.advancePs(spanPs(result.first_ps, result.growth_ps, result.steps));
    } else {
        span.durations_ns = result.durations_ns;
    }
    const Nanos end_ns = stepEndNs(span, result.steps - 1);
    core.notePasses(end_ns - start.start_ns, result.steps);
    core.emitAt(end_ns, std::move(span));
}

} // namespace batchscope
