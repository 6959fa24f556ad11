// SPDX-License-Identifier: GPL-3.0-or-later
// Multi-bin batching (arXiv 2412.04504): like with like, and first come first served among them.
#include "scheduler/ordering/bin_order.h"

#include "scheduler/ordering/ageing.h"
#include "scheduler/ordering/ordering.h"
#include "scheduler/parts/knobs.h"

namespace batchscope {
namespace {

class BinOrder final : public Ordering
{
public:
    explicit BinOrder(std::int64_t width) : m_width(width) {}
    double key(const Standing& standing, Nanos) const override
    {
        return static_cast<double>((standing.predicted_tokens + m_width - 1) / m_width);
    }
    PickRule strictRule() const override { return PickRule::Bin; }

private:
    std::int64_t m_width;
};

} // namespace

void registerBins(Registry& registry)
{
    PartDescriptor part;
    part.kind = PartKind::Ordering;
    part.type = "bins";
    part.title = "Bins of length";
    part.help = "Requests are sorted into bins by predicted length; the smallest bin goes first, and inside "
                "a bin who came "
                "first. Wider bins trade the gain of sorting for fairness.";
    part.by_length = true;
    part.params.push_back(
        integerKnob({"width", "Bin width", "tokens", "Predictions are rounded up to a multiple of this.",
                     "50: the bins of sequence scheduling"},
                    50, 1, 8192));
    for (ParamDescriptor& knob : ageingKnobs())
        part.params.push_back(std::move(knob));
    registry.addOrdering(
        std::move(part),
        [](const PartSpec& spec, const PartDescriptor& descriptor) -> std::unique_ptr<Ordering> {
            return std::make_unique<BinOrder>(integerParam(spec, descriptor, "width"));
        });
}

} // namespace batchscope
