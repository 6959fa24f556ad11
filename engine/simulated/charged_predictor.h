// SPDX-License-Identifier: GPL-3.0-or-later
// What a prediction costs in virtual time where the session says nothing: the preset's figures.
#pragma once

#include "engine/simulated/cost_model.h"
#include "scheduler/predictor.h"

#include <memory>

namespace batchscope::engine {

// A predictor whose calls take the preset's time when its own stated time is 0.
std::unique_ptr<LengthPredictor> chargePrediction(std::unique_ptr<LengthPredictor> predictor,
                                                  const CostModel& model);

} // namespace batchscope::engine
