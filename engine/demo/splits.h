// SPDX-License-Identifier: GPL-3.0-or-later
// Which split a key belongs to, by its hash: model training 10/16, predictor training 3/16, held out 1/16,
// demo prompts 2/16. An item's key decides alone, so no wording of it ever leaks into another split.
#pragma once

#include "engine/demo/demo_random.h"

#include <string_view>

namespace batchscope::engine {

enum class DemoSplit { ModelTraining, PredictorTraining, HeldOut, DemoPrompts };

constexpr DemoSplit splitOf(std::string_view key)
{
    const std::uint64_t bucket = hashText(key) % 16;
    return bucket < 10    ? DemoSplit::ModelTraining
           : bucket < 13  ? DemoSplit::PredictorTraining
           : bucket == 13 ? DemoSplit::HeldOut
                          : DemoSplit::DemoPrompts;
}

} // namespace batchscope::engine
