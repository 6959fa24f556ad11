// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/ordering/hrrn.h"

#include "scheduler/ordering/ageing.h"
#include "scheduler/ordering/ordering.h"
#include "scheduler/ordering/ratio_order.h"

namespace batchscope {
namespace {

class Hrrn final : public Ordering
{
public:
    // Without known seconds of service every ratio is 1, and who came first goes first.
    double key(const Standing& standing, Nanos now_ns) const override
    {
        const double waited_s = toSeconds(now_ns - standing.waitsFromNs());
        return standing.service_s && *standing.service_s > 0 ? -(1.0 + waited_s / *standing.service_s) : -1.0;
    }
    std::unique_ptr<WaitingOrder> makeOrder() override { return std::make_unique<RatioOrder>(*this); }
};

} // namespace

void registerHrrn(Registry& registry)
{
    PartDescriptor part;
    part.kind = PartKind::Ordering;
    part.type = "hrrn";
    part.title = "Highest response ratio next";
    part.help =
        "The ratio (wait + predicted service) / predicted service grows with the wait, fastest for short "
        "requests: they go first, and nobody waits for ever.";
    part.by_length = true;
    part.params = ageingKnobs();
    registry.addOrdering(std::move(part),
                         [](const PartSpec&, const PartDescriptor&) -> std::unique_ptr<Ordering> {
                             return std::make_unique<Hrrn>();
                         });
}

} // namespace batchscope
