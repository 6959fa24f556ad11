// SPDX-License-Identifier: GPL-3.0-or-later
// The three pass ends of a span that a row's figures need: of its first, last and last but one pass.
#pragma once

#include "scheduler/event.h"

namespace batchscope {

struct SpanTimes
{
    Nanos first_ns = 0;
    Nanos last_ns = 0;
    Nanos before_last_ns = 0; // only where the span has two passes or more
};

inline SpanTimes spanTimes(const Steps& steps) // count >= 1
{
    const std::uint32_t last = steps.count - 1;
    return {stepEndNs(steps, 0), stepEndNs(steps, last), last > 0 ? stepEndNs(steps, last - 1) : 0};
}

} // namespace batchscope
