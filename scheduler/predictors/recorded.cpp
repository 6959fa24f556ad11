// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/predictors/recorded.h"

#include <algorithm>

namespace batchscope {
namespace {

class Recorded final : public StatedPredictor
{
public:
    Recorded(PredictionKind kind, PredictionTime time) : StatedPredictor(time), m_kind(kind) {}
    PredictionKind kind() const override { return m_kind; }

protected:
    std::optional<int> tokensOf(const Request& request) const override { return request.predicted_tokens; }

private:
    PredictionKind m_kind;
};

} // namespace

bool hasPredictions(const Workload& workload)
{
    return std::any_of(workload.requests.begin(), workload.requests.end(),
                       [](const Request& request) { return request.predicted_tokens.has_value(); });
}

std::unique_ptr<LengthPredictor> makeRecordedPredictor(PredictionKind kind, PredictionTime time)
{
    return std::make_unique<Recorded>(kind, time);
}

void registerRecorded(Registry& registry)
{
    PartDescriptor part;
    part.kind = PartKind::Predictor;
    part.type = "recorded";
    part.title = "Recorded predictions";
    part.help =
        "The predictions that the request file brings (predicted_tokens), made earlier by any predictor. A "
        "request without one counts as long as the cap.";
    part.produces = PredictionKind::Tokens;
    part.params = predictionTimeKnobs();
    registry.addPredictor(std::move(part), [](const PredictorContext& context) {
        return makeRecordedPredictor(PredictionKind::Tokens,
                                     PredictionTime(context.strategy->predictor, context.simulated));
    });
}

} // namespace batchscope
