// SPDX-License-Identifier: GPL-3.0-or-later
// Learning to rank (arXiv 2408.15792): a score without a unit.
#include "scheduler/ordering/rank.h"

#include "scheduler/ordering/ageing.h"
#include "scheduler/ordering/ordering.h"
#include "scheduler/parts/knobs.h"

#include <limits>

namespace batchscope {
namespace {

class Rank final : public Ordering
{
public:
    explicit Rank(bool larger_is_longer) : m_sign(larger_is_longer ? 1.0 : -1.0) {}
    // A request of which the predictor said nothing goes last.
    double key(const Standing& standing, Nanos) const override
    {
        return standing.score ? m_sign * *standing.score : std::numeric_limits<double>::infinity();
    }

private:
    double m_sign;
};

} // namespace

void registerRank(Registry& registry)
{
    PartDescriptor part;
    part.kind = PartKind::Ordering;
    part.type = "rank";
    part.title = "By rank";
    part.help = "Orders by the score of a rank predictor, which has no unit. The direction says whether a "
                "larger score "
                "means a longer answer: the wrong one serves the longest first.";
    part.params.push_back(choiceKnob({"direction", "Direction", "", "What a larger score means.",
                                      "larger-is-longer: scores that grow with the length"},
                                     {"larger-is-longer", "larger-is-shorter"}));
    for (ParamDescriptor& knob : ageingKnobs())
        part.params.push_back(std::move(knob));
    registry.addOrdering(
        std::move(part),
        [](const PartSpec& spec, const PartDescriptor& descriptor) -> std::unique_ptr<Ordering> {
            return std::make_unique<Rank>(textParam(spec, descriptor, "direction") == "larger-is-longer");
        });
}

} // namespace batchscope
