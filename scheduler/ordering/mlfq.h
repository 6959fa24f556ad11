// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "scheduler/registry.h"

namespace batchscope {

void registerMlfq(Registry& registry);

} // namespace batchscope
