// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/predictors/stated.h"

#include "scheduler/parts/knobs.h"

#include <algorithm>
#include <cmath>

namespace batchscope {
namespace {

// Also read for a model-bound predictor that recorded predictions stand for, whatever else its parameters
// are.
double secondsGiven(const PartSpec& spec, const std::string& name)
{
    const auto given = spec.params.find(name);
    if (given == spec.params.end()) return 0.0;
    if (const auto* real = std::get_if<double>(&given->second)) return *real;
    if (const auto* whole = std::get_if<std::int64_t>(&given->second)) return static_cast<double>(*whole);
    return 0.0;
}

} // namespace

PredictionTime::PredictionTime(const PartSpec& spec, bool simulated)
    : m_simulated(simulated), m_per_call_s(secondsGiven(spec, "per_call_s")),
      m_per_request_s(secondsGiven(spec, "per_request_s"))
{}

Nanos PredictionTime::elapsed(std::size_t requests, std::chrono::steady_clock::time_point begin) const
{
    if (m_simulated)
        return std::llround((m_per_call_s + m_per_request_s * static_cast<double>(requests)) * 1e9);
    const auto took = std::chrono::steady_clock::now() - begin;
    return std::chrono::duration_cast<std::chrono::nanoseconds>(took).count();
}

std::vector<ParamDescriptor> predictionTimeKnobs()
{
    return {
        realKnob(
            {"per_call_s", "Time of a call (simulated)", "s",
             "What one call of the predictor takes on the simulator, besides its requests. A measured run "
             "takes what it takes.",
             "0: nothing is assumed about a predictor that was not measured"},
            0.0, 0.0, 3600.0),
        realKnob({"per_request_s", "Time per request (simulated)", "s",
                  "What each request adds to a call on the simulator. A measured run takes what it takes.",
                  "0: nothing is assumed about a predictor that was not measured"},
                 0.0, 0.0, 3600.0)};
}

PredictionCall StatedPredictor::predict(std::span<const Request* const> requests)
{
    const auto begin = std::chrono::steady_clock::now();
    PredictionCall call;
    call.predictions.reserve(requests.size());
    for (const Request* request : requests) {
        Prediction prediction;
        prediction.tokens = tokensOf(*request);
        prediction.failed = !prediction.tokens;
        if (prediction.tokens) prediction.tokens = std::max(1, *prediction.tokens);
        call.predictions.push_back(prediction);
    }
    call.elapsed_ns = m_time.elapsed(requests.size(), begin);
    return call;
}

} // namespace batchscope
