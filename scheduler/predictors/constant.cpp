// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/predictors/constant.h"

#include "scheduler/error.h"
#include "scheduler/parts/knobs.h"
#include "scheduler/predictors/stated.h"

#include <algorithm>
#include <vector>

namespace batchscope {
namespace {

class Constant final : public StatedPredictor
{
public:
    Constant(int tokens, PredictionTime time) : StatedPredictor(time), m_tokens(tokens) {}

protected:
    std::optional<int> tokensOf(const Request&) const override { return m_tokens; }

private:
    int m_tokens;
};

// The upper of the two middle ones where their number is even: a prediction is a whole number, rounded up.
int medianLength(const Workload& workload)
{
    std::vector<int> lengths;
    for (const Request& request : workload.requests)
        if (request.output_tokens) lengths.push_back(*request.output_tokens);
    if (lengths.empty())
        throw SchedulerError(
            "predictor 'constant': tokens is null and no request has a recorded length to take the "
            "median of: give predictor.tokens, or output_tokens in the request file");
    const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
    std::nth_element(lengths.begin(), middle, lengths.end());
    return *middle;
}

PartDescriptor describeConstant()
{
    PartDescriptor part;
    part.kind = PartKind::Predictor;
    part.type = "constant";
    part.title = "The same for all";
    part.help = "One number for every request, e.g. the median answer of a calibration set: what a predictor "
                "must beat.";
    part.produces = PredictionKind::Tokens;
    part.params.push_back(nullableIntegerKnob(
        {"tokens", "Predicted length", "tokens",
         "The length predicted for every request. Null: the median of the recorded lengths of this "
         "workload.",
         "null: the workload is its own calibration set"},
        1, 1'048'576));
    for (ParamDescriptor& knob : predictionTimeKnobs())
        part.params.push_back(std::move(knob));
    return part;
}

} // namespace

void registerConstant(Registry& registry)
{
    registry.addPredictor(
        describeConstant(), [](const PredictorContext& context) -> std::unique_ptr<LengthPredictor> {
            const PartSpec& spec = context.strategy->predictor;
            const PartDescriptor part = describeConstant();
            const int tokens = isNullParam(spec, part, "tokens")
                                   ? medianLength(*context.workload)
                                   : static_cast<int>(integerParam(spec, part, "tokens"));
            return std::make_unique<Constant>(tokens, PredictionTime(spec, context.simulated));
        });
}

} // namespace batchscope
