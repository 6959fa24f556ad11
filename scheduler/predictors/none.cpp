// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/predictors/none.h"

namespace batchscope {

void registerNoPredictor(Registry& registry)
{
    PartDescriptor part;
    part.kind = PartKind::Predictor;
    part.type = "none";
    part.title = "No prediction";
    part.help =
        "Nothing is known about an answer's length before it ends: every request counts as long as the cap.";
    registry.add(std::move(part));
}

} // namespace batchscope
