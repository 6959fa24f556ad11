// SPDX-License-Identifier: GPL-3.0-or-later
// Parameters that several batching modes have, with the same meaning in each.
#pragma once

#include "scheduler/event.h"
#include "scheduler/registry.h"

namespace batchscope {

ParamDescriptor rowsKnob();
ParamDescriptor windowKnob();
ParamDescriptor deliveryKnob();

Nanos windowOf(const PartSpec& spec, const PartDescriptor& part);
Delivery deliveryOf(const Strategy& strategy,
                    const Registry& registry); // streamed where the mode has no choice

} // namespace batchscope
