// SPDX-License-Identifier: GPL-3.0-or-later
// When a batch or group forms: enough wait, or the window since the oldest arrival has passed, or nothing
// more can arrive (scheduling.md, "Batching modes"). Nobody waits while nothing can arrive.
#pragma once

#include "scheduler/time.h"

#include <cstddef>
#include <optional>

namespace batchscope {

struct Formation
{
    std::size_t wanted = 1; // requests
    Nanos window_ns = 0;
    bool waits_in_vain = false; // compat J-7: the window is waited out even when nothing can arrive

    bool ready(std::size_t waiting, Nanos oldest_arrival_ns, bool more_can_arrive, Nanos now_ns) const
    {
        if (waiting == 0) return false;
        return waiting >= wanted || (!more_can_arrive && !waits_in_vain) ||
               now_ns >= deadline(oldest_arrival_ns);
    }
    Nanos deadline(Nanos oldest_arrival_ns) const { return oldest_arrival_ns + window_ns; }
};

} // namespace batchscope
