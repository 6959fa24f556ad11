// SPDX-License-Identifier: GPL-3.0-or-later
// A roofline: what a pass takes if nothing but the device's arithmetic and its memory bounds it, from public
// figures (scheduling.md, "Simulated backend"). Of a LLaMA-family decoder in one device's memory.
//
// Arithmetic of a pass, in FLOP: 2 for each weight of the layers and each token fed, 2 for each weight of the
// head and each row, 4 * layers * hidden for each pair of a token fed and a token it attends to.
// Traffic of a pass, in bytes: the weights of layers and head once, the KV cache of every row
// (attention.cache_traffic times), the KV of each token fed, and the scores where attention is not fused.
// Embedding rows, norms' arithmetic and activations are left out: under 1 % of either.
#pragma once

#include "engine/simulated/cost_model.h"
#include "scheduler/parts/roofline_knobs.h"

#include <cstdint>

namespace batchscope::engine {

struct RooflineShape // counted, before any time
{
    std::int64_t layer_weights = 0; // of all layers, norms included
    std::int64_t head_weights = 0;
    std::int64_t embedding_weights = 0; // kept in memory, looked up and not read through
    std::int64_t kv_bytes_per_token = 0;
    std::int64_t weights_bytes = 0;
};

// Both throw SchedulerError naming figure, value found and value expected.
RooflineShape rooflineShape(const RooflineFigures& figures);

// The model with its terms, KV budget, swap cost, context and weights as the figures say; each term is
// rounded to a picosecond once, so that sums are exact. Linear coefficients are 0 but for device.launch_us.
CostModel rooflineModel(const RooflineFigures& figures);

} // namespace batchscope::engine
