// SPDX-License-Identifier: GPL-3.0-or-later
// Shortest remaining processing time; limited preemption as TRAIL has it (arXiv 2410.01035).
#include "scheduler/ordering/srpt.h"

#include "scheduler/ordering/ageing.h"
#include "scheduler/ordering/ordering.h"
#include "scheduler/parts/knobs.h"

#include <algorithm>

namespace batchscope {
namespace {

constexpr int k_floor_tokens = 1; // an over-runner is about to end, as far as anybody knows

class Srpt final : public Ordering
{
public:
    explicit Srpt(double share) : m_share(share) {}
    double key(const Standing& standing, Nanos) const override
    {
        return std::max(standing.predicted_tokens - standing.generated_tokens, k_floor_tokens);
    }
    bool preempts() const override { return true; }
    bool keepsPlace(const Standing& standing) const override
    {
        return standing.generated_tokens > m_share * standing.predicted_tokens;
    }

private:
    double m_share;
};

} // namespace

void registerSrpt(Registry& registry)
{
    PartDescriptor part;
    part.kind = PartKind::Ordering;
    part.type = "srpt";
    part.title = "Shortest remaining first";
    part.help = "The request with the least predicted work left goes first, and takes the place of a running "
                "one that has "
                "more left. Needs continuous batching with preemption.";
    part.by_length = true;
    part.params.push_back(realKnob(
        {"share", "Preemptible share", "of the prediction",
         "A request that has generated more than this share of its prediction keeps its place (limited "
         "preemption). 1: it can be preempted to its predicted end.",
         "0.8: near its predicted end a request gives back little for what is lost"},
        0.8, 0.0, 1.0));
    for (ParamDescriptor& knob : ageingKnobs())
        part.params.push_back(std::move(knob));
    registry.addOrdering(
        std::move(part),
        [](const PartSpec& spec, const PartDescriptor& descriptor) -> std::unique_ptr<Ordering> {
            return std::make_unique<Srpt>(realParam(spec, descriptor, "share"));
        });
}

} // namespace batchscope
