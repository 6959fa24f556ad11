// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulated/charged_predictor.h"

namespace batchscope::engine {

namespace {

class ChargedPredictor final : public LengthPredictor
{
public:
    ChargedPredictor(std::unique_ptr<LengthPredictor> predictor, Nanos call_ns, Nanos request_ns)
        : m_predictor(std::move(predictor)), m_call_ns(call_ns), m_request_ns(request_ns)
    {}

    PredictionKind kind() const override { return m_predictor->kind(); }

    PredictionCall predict(std::span<const Request* const> requests) override
    {
        PredictionCall call = m_predictor->predict(requests);
        if (call.elapsed_ns == 0 && !requests.empty())
            call.elapsed_ns = m_call_ns + m_request_ns * static_cast<Nanos>(requests.size());
        return call;
    }

    void update(const Request& request, int generated_tokens) override
    {
        m_predictor->update(request, generated_tokens);
    }

private:
    std::unique_ptr<LengthPredictor> m_predictor;
    Nanos m_call_ns;
    Nanos m_request_ns;
};

} // namespace

std::unique_ptr<LengthPredictor> chargePrediction(std::unique_ptr<LengthPredictor> predictor,
                                                  const CostModel& model)
{
    if (!predictor || (model.prediction_call_ns == 0 && model.prediction_request_ns == 0)) return predictor;
    return std::make_unique<ChargedPredictor>(std::move(predictor), model.prediction_call_ns,
                                              model.prediction_request_ns);
}

} // namespace batchscope::engine
