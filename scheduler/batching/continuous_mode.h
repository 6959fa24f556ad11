// SPDX-License-Identifier: GPL-3.0-or-later
// Mode `continuous`: rows join and leave at every pass.
#pragma once

#include "scheduler/registry.h"

namespace batchscope {

void registerContinuous(Registry& registry);

} // namespace batchscope
