// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/ordering/ljf.h"

#include "scheduler/ordering/ageing.h"
#include "scheduler/ordering/ordering.h"

namespace batchscope {
namespace {

class Ljf final : public Ordering
{
public:
    double key(const Standing& standing, Nanos) const override { return -standing.predicted_tokens; }
};

} // namespace

void registerLjf(Registry& registry)
{
    PartDescriptor part;
    part.kind = PartKind::Ordering;
    part.type = "ljf";
    part.title = "Longest job first";
    part.help =
        "The request with the most predicted work goes first: long answers start early and end together with "
        "the short ones, at the price of the mean.";
    part.by_length = true;
    for (ParamDescriptor& knob : ageingKnobs())
        part.params.push_back(std::move(knob));
    registry.addOrdering(std::move(part),
                         [](const PartSpec&, const PartDescriptor&) -> std::unique_ptr<Ordering> {
                             return std::make_unique<Ljf>();
                         });
}

} // namespace batchscope
