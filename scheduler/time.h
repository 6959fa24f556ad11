// SPDX-License-Identifier: GPL-3.0-or-later
// Time: int64 nanoseconds from the run's start in core and store; simulated time is kept exactly, in picoseconds.
#pragma once

#include <cstdint>

namespace batchscope {

using Nanos = std::int64_t;
using Picos = std::int64_t; // 106 days fit

inline constexpr Nanos k_second = 1'000'000'000;
inline constexpr Picos k_picos_per_nano = 1000;

constexpr double toSeconds(Nanos ns)
{
    return static_cast<double>(ns) / 1e9;
}

} // namespace batchscope
