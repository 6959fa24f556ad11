// SPDX-License-Identifier: GPL-3.0-or-later
// Modes `none` (one request at a time) and `static` (rows, window, delivery).
#pragma once

#include "scheduler/registry.h"

namespace batchscope {

void registerOneByOne(Registry& registry);
void registerStatic(Registry& registry);

} // namespace batchscope
