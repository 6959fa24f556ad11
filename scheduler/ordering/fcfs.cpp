// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/ordering/fcfs.h"

#include "scheduler/ordering/ageing.h"
#include "scheduler/ordering/ordering.h"

namespace batchscope {
namespace {

class Fcfs final : public Ordering
{
public:
    double key(const Standing& standing, Nanos) const override { return toSeconds(standing.arrival_ns); }
    PickRule strictRule() const override { return PickRule::Arrival; }
};

} // namespace

void registerFcfs(Registry& registry)
{
    PartDescriptor part;
    part.kind = PartKind::Ordering;
    part.type = "fcfs";
    part.title = "First come, first served";
    part.help =
        "Requests are served in the order in which they arrived; those that arrived together in file order.";
    part.params = ageingKnobs();
    registry.addOrdering(std::move(part),
                         [](const PartSpec&, const PartDescriptor&) -> std::unique_ptr<Ordering> {
                             return std::make_unique<Fcfs>();
                         });
}

} // namespace batchscope
