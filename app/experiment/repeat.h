// SPDX-License-Identifier: GPL-3.0-or-later
// Runs what a session's published figures need: its strategies at the figures' points, each with as many
// seeds as the session asks for, on all cores.
#pragma once

#include "sessions/published.h"

#include <cstddef>
#include <functional>
#include <stop_token>
#include <vector>

namespace batchscope::app {

struct RepeatOptions
{
    int threads = 0; // 0: one for each core
    std::function<void(std::size_t done, std::size_t all)> progressed;
    std::stop_token stop;
};

// The same figures for any number of threads. Throws DocumentError where the simulator cannot run the session
// or a strategy is refused, and as simulateAll does.
std::vector<sessions::Repeated> repeatPublished(const sessions::SessionDocument& document,
                                                const sessions::Published& published,
                                                const RepeatOptions& options);

} // namespace batchscope::app
