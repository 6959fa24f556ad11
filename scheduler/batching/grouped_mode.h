// SPDX-License-Identifier: GPL-3.0-or-later
// Mode `grouped`: sequence scheduling (groups, bins, VBS, a predicted limit with recomputation).
#pragma once

#include "scheduler/registry.h"

namespace batchscope {

void registerGrouped(Registry& registry);

} // namespace batchscope
