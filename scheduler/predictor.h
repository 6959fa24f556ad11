// SPDX-License-Identifier: GPL-3.0-or-later
// Length predictors as the loop sees them (scheduling.md, "Predictors").
#pragma once

#include "scheduler/backend.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace batchscope {

struct Prediction
{
    std::optional<int> tokens;      // >= 1; for a class the upper end of its range; absent: unknown (failed)
    std::optional<int> upper_bound; // memory packing only
    std::optional<double> score;    // kind Rank
    std::optional<SlotHandle> held; // the prompt's prefill, kept for generation
    bool failed = false;
};

struct PredictionCall
{
    std::vector<Prediction> predictions; // one a request, in the order given
    Nanos elapsed_ns = 0;                // measured; on the simulator from the preset or session, never the wall clock
};

class LengthPredictor
{
public:
    virtual ~LengthPredictor() = default;
    virtual PredictionKind kind() const = 0;
    virtual PredictionCall predict(std::span<const Request* const> requests) = 0;
    // For predictors that refine while decoding; nothing by default.
    virtual void update(const Request& request, int generated_tokens);
};

} // namespace batchscope
