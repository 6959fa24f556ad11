// SPDX-License-Identifier: GPL-3.0-or-later
// Quirks of published code that a strategy may repeat, to come by its figures ("compat" of the session file).
// Off by default; only what reference/papers.md, section 5, names and what moves a figure.
#pragma once

#include "scheduler/registry.h"
#include "scheduler/strategy.h"
#include "scheduler/time.h"

#include <string>
#include <string_view>
#include <vector>

namespace batchscope {

struct CompatSwitch
{
    const char* name;  // of papers.md: "S-5"
    const char* title; // what the published code does
    const char* needs; // where it changes anything
};

const std::vector<CompatSwitch>& compatSwitches();

bool repeatsQuirk(const Strategy& strategy, std::string_view name);

// Refused: a name that is none of compatSwitches(), and S-1 on a measured run. Warned: a switch that changes
// nothing in this strategy.
std::vector<Problem> checkCompat(const Strategy& strategy, const Registry& registry,
                                 const CheckContext& context);

// J-7 in continuous mode: the constant of the published code, which no session parameter stands for.
inline constexpr Nanos k_published_batch_wait_ns = 10'000'000'000;

} // namespace batchscope
