// SPDX-License-Identifier: GPL-3.0-or-later
// What predictors without weights share: one answer a request, and the time of a call.
#pragma once

#include "scheduler/predictor.h"
#include "scheduler/registry.h"

#include <chrono>

namespace batchscope {

// On the simulator a call takes what the session states (default 0), never the wall clock: per_call_s +
// per_request_s
// * requests. On a measured run it takes what it took.
class PredictionTime
{
public:
    PredictionTime() = default; // simulated, 0
    PredictionTime(const PartSpec& spec, bool simulated);
    Nanos elapsed(std::size_t requests, std::chrono::steady_clock::time_point begin) const;

private:
    bool m_simulated = true;
    double m_per_call_s = 0.0;
    double m_per_request_s = 0.0;
};

// The two parameters above, for any predictor that can stand in a simulated run.
std::vector<ParamDescriptor> predictionTimeKnobs();

class StatedPredictor : public LengthPredictor
{
public:
    explicit StatedPredictor(PredictionTime time) : m_time(time) {}
    PredictionKind kind() const override { return PredictionKind::Tokens; }
    PredictionCall predict(std::span<const Request* const> requests) final;

protected:
    // Tokens, or nothing where this predictor knows nothing of the request.
    virtual std::optional<int> tokensOf(const Request& request) const = 0;

private:
    PredictionTime m_time;
};

} // namespace batchscope
