// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "scheduler/registry.h"

namespace batchscope {

void registerNoCorrection(Registry& registry);
void registerFcr(Registry& registry);
void registerExtend(Registry& registry);
void registerDemote(Registry& registry);

} // namespace batchscope
