// SPDX-License-Identifier: GPL-3.0-or-later
// Predictions that the request file brings (predicted_tokens).
#pragma once

#include "scheduler/predictors/stated.h"
#include "scheduler/registry.h"

namespace batchscope {

bool hasPredictions(const Workload& workload); // at least one request brings one

// `kind`: that of the predictor they stand for.
std::unique_ptr<LengthPredictor> makeRecordedPredictor(PredictionKind kind, PredictionTime time);

void registerRecorded(Registry& registry);

} // namespace batchscope
