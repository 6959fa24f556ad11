// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/parts/corrections.h"

namespace batchscope {

void registerNoCorrection(Registry& registry)
{
    PartDescriptor part;
    part.kind = PartKind::Correction;
    part.type = "none";
    part.title = "No correction";
    part.help = "A batch runs until its last row ends, however wrong a prediction was.";
    registry.add(std::move(part));
}

void registerFcr(Registry& registry)
{
    PartDescriptor part;
    part.kind = PartKind::Correction;
    part.type = "fcr";
    part.title = "Failure collection and recomputation";
    part.help = "A micro-batch stops one pass after its bin. Rows that have not ended by then are thrown "
                "away, collected "
                "and computed again at the group's end with the cap as limit.";
    registry.add(std::move(part));
}

void registerExtend(Registry& registry)
{
    PartDescriptor part;
    part.kind = PartKind::Correction;
    part.type = "extend";
    part.title = "Extend at the group's end";
    part.help =
        "As recomputation, but rows that have not ended keep their KV cache and go on at the group's end: no "
        "token "
        "is computed twice. Where the KV budget cannot hold a cache so long, that row is computed again.";
    registry.add(std::move(part));
}

void registerDemote(Registry& registry)
{
    PartDescriptor part;
    part.kind = PartKind::Correction;
    part.type = "demote";
    part.title = "Demote over-runners";
    part.help = "Continuous batching: a request that outgrows its prediction counts as one of the cap from "
                "then on, and "
                "gives its place to a waiting one with a better key.";
    registry.add(std::move(part));
}

} // namespace batchscope
