// SPDX-License-Identifier: GPL-3.0-or-later
// How much is asked of the server against how much it can serve, before anything runs.
#pragma once

#include "app/experiment/experiment.h"

#include <optional>
#include <string>

namespace batchscope::app {

struct OfferedLoad
{
    std::optional<double> rate; // requests/s, first arrival to last; none: all at once, or a closed loop
    // Requests/s that the session's first strategy serves when everybody waits: the simulator runs the first
    // hundreds of requests so. None on a measured backend, whose speed a run tells.
    std::optional<double> capacity;
    std::string strategy; // whose capacity it is
};

OfferedLoad offeredLoad(const sessions::SessionDocument& document, const Registry& registry,
                        const Workload& workload);

} // namespace batchscope::app
