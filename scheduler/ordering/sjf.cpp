// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/ordering/sjf.h"

#include "scheduler/ordering/ageing.h"
#include "scheduler/ordering/ordering.h"
#include "scheduler/parts/knobs.h"

namespace batchscope {
namespace {

class Sjf final : public Ordering
{
public:
    explicit Sjf(double prompt_token_cost) : m_prompt_token_cost(prompt_token_cost) {}
    double key(const Standing& standing, Nanos) const override
    {
        return standing.predicted_tokens + m_prompt_token_cost * standing.prompt_tokens;
    }

private:
    double m_prompt_token_cost;
};

} // namespace

void registerSjf(Registry& registry)
{
    PartDescriptor part;
    part.kind = PartKind::Ordering;
    part.type = "sjf";
    part.title = "Shortest job first";
    part.help = "The request with the least predicted work goes first: SSJF when a model predicts, SJF with "
                "the oracle. "
                "Ties by arrival.";
    part.by_length = true;
    part.params = ageingKnobs();
    part.params.insert(part.params.begin(),
                       realKnob({"prompt_token_cost", "Cost of a prompt token", "output tokens",
                                 "How much work a prompt token counts for, where an output token counts for "
                                 "1. Above 0, long prompts "
                                 "go later.",
                                 "0: SSJF orders by predicted output length alone"},
                                0.0, 0.0, 10.0));
    registry.addOrdering(
        std::move(part),
        [](const PartSpec& spec, const PartDescriptor& descriptor) -> std::unique_ptr<Ordering> {
            return std::make_unique<Sjf>(realParam(spec, descriptor, "prompt_token_cost"));
        });
}

} // namespace batchscope
