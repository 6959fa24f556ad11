// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of this room: one line each.
#include "scheduler/batching/grouped_mode.h"
#include "scheduler/batching/static_mode.h"
#include "scheduler/ordering/fcfs.h"
#include "scheduler/ordering/sjf.h"
#include "scheduler/parts/corrections.h"
#include "scheduler/predictors/constant.h"
#include "scheduler/predictors/none.h"
#include "scheduler/predictors/oracle.h"
#include "scheduler/predictors/recorded.h"

namespace batchscope {

Registry Registry::withBuiltinParts()
{
    Registry registry;
    registerNoPredictor(registry);
    registerConstant(registry);
    registerOracle(registry);
    registerNoisyOracle(registry);
    registerRecorded(registry);
    registerFcfs(registry);
    registerSjf(registry);
    registerOneByOne(registry);
    registerStatic(registry);
    registerGrouped(registry);
    registerNoCorrection(registry);
    registerFcr(registry);
    return registry;
}

} // namespace batchscope
