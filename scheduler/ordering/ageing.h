// SPDX-License-Identifier: GPL-3.0-or-later
// Ageing wraps any ordering: a request that has waited past its bound goes to the head of the queue, it alone
// (scheduling.md; the published guard, which sorts the whole queue anew by the true length, is compat J-11).
#pragma once

#include "scheduler/registry.h"
#include "scheduler/time.h"

#include <optional>
#include <vector>

namespace batchscope {

struct Ageing
{
    std::optional<double> absolute_s; // of waiting
    std::optional<double> factor;     // of the predicted seconds of service

    bool serves_all_by_arrival = false; // compat J-11: while somebody has waited past the bound

    bool isOn() const { return absolute_s || factor; }
    // The wait past which a request is promoted, whichever bound comes first; absent: never.
    std::optional<Nanos> bound(std::optional<double> service_s) const;
    bool operator==(const Ageing&) const = default;
};

// "ageing.absolute_s" and "ageing.factor", null by default: every ordering has them.
std::vector<ParamDescriptor> ageingKnobs();
Ageing ageingOf(const PartSpec& ordering, const PartDescriptor& descriptor);

} // namespace batchscope
