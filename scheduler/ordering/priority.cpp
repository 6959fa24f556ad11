// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/ordering/priority.h"

#include "scheduler/ordering/ageing.h"
#include "scheduler/ordering/ordering.h"
#include "scheduler/parts/knobs.h"

namespace batchscope {
namespace {

class Priority final : public Ordering
{
public:
    explicit Priority(bool preempts) : m_preempts(preempts) {}
    double key(const Standing& standing, Nanos) const override { return standing.priority; }
    bool preempts() const override { return m_preempts; }

private:
    bool m_preempts;
};

} // namespace

void registerPriority(Registry& registry)
{
    PartDescriptor part;
    part.kind = PartKind::Ordering;
    part.type = "priority";
    part.title = "By priority";
    part.help =
        "Requests carry a class; a smaller number is more urgent. Inside a class who came first goes first.";
    part.params.push_back(booleanKnob(
        {"preemptive", "Preemptive", "",
         "In continuous batching with preemption: a more urgent request takes the place of a running one.",
         "false: urgent requests go first among those who wait"},
        false));
    for (ParamDescriptor& knob : ageingKnobs())
        part.params.push_back(std::move(knob));
    registry.addOrdering(
        std::move(part),
        [](const PartSpec& spec, const PartDescriptor& descriptor) -> std::unique_ptr<Ordering> {
            return std::make_unique<Priority>(booleanParam(spec, descriptor, "preemptive"));
        });
}

} // namespace batchscope
