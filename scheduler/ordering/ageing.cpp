// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/ordering/ageing.h"

#include "scheduler/parts/knobs.h"

#include <algorithm>
#include <cmath>

namespace batchscope {

std::optional<Nanos> Ageing::bound(std::optional<double> service_s) const
{
    std::optional<double> seconds = absolute_s;
    if (factor && service_s) seconds = std::min(seconds.value_or(*factor * *service_s), *factor * *service_s);
    if (!seconds) return std::nullopt;
    return static_cast<Nanos>(std::llround(*seconds * 1e9));
}

std::vector<ParamDescriptor> ageingKnobs()
{
    return {
        nullableRealKnob({"ageing.absolute_s", "Longest wait", "s",
                          "A request that has waited longer goes to the head of the queue, it alone. Null: "
                          "no such bound.",
                          "null: no ageing"},
                         0.001, 1e6),
        nullableRealKnob({"ageing.factor", "Longest wait by service", "x predicted service",
                          "A request that has waited longer than this many times its predicted seconds of "
                          "service goes to the head of the queue, it alone. Null: no such bound.",
                          "null: no ageing"},
                         0.1, 1e6)};
}

Ageing ageingOf(const PartSpec& ordering, const PartDescriptor& descriptor)
{
    const auto bound = [&](const char* name) -> std::optional<double> {
        const bool known = std::any_of(descriptor.params.begin(), descriptor.params.end(),
                                       [name](const ParamDescriptor& param) { return param.name == name; });
        if (!known) return std::nullopt; // an ordering of somebody else's that knows no ageing
        if (isNullParam(ordering, descriptor, name)) return std::nullopt;
        return realParam(ordering, descriptor, name);
    };
    return {bound("ageing.absolute_s"), bound("ageing.factor"), false};
}

} // namespace batchscope
