// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/batching/shared_knobs.h"

#include "scheduler/parts/knobs.h"

#include <algorithm>
#include <cmath>

namespace batchscope {

ParamDescriptor rowsKnob()
{
    return integerKnob({"rows", "Rows", "requests", "Requests that run together in a batch.",
                        "16: the batch size of sequence scheduling's published runs"},
                       16, 1, 4096);
}

ParamDescriptor windowKnob()
{
    return realKnob(
        {"window_s", "Window", "s",
         "How long the oldest waiting request may wait for others before a batch forms without them. Nobody "
         "waits while nothing more can arrive.",
         "0: a free server serves at once"},
        0.0, 0.0, 86'400.0);
}

ParamDescriptor deliveryKnob()
{
    return choiceKnob(
        {"delivery", "Delivery", "",
         "streamed: a request is complete when its row ends; batch-end: when its whole batch has ended, as "
         "the papers' code measures.",
         "streamed: what a server's user sees"},
        {"streamed", "batch-end"});
}

Nanos windowOf(const PartSpec& spec, const PartDescriptor& part)
{
    return std::llround(realParam(spec, part, "window_s") * 1e9);
}

Delivery deliveryOf(const Strategy& strategy, const Registry& registry)
{
    const PartDescriptor& part = registry.require(PartKind::Batching, strategy.batching.type);
    const bool has_choice =
        std::any_of(part.params.begin(), part.params.end(),
                    [](const ParamDescriptor& param) { return param.name == "delivery"; });
    if (!has_choice) return Delivery::Streamed;
    return textParam(strategy.batching, part, "delivery") == "batch-end" ? Delivery::BatchEnd
                                                                         : Delivery::Streamed;
}

} // namespace batchscope
