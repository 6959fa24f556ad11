// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of this room: one line each.
#include "scheduler/batching/continuous_mode.h"
#include "scheduler/batching/grouped_mode.h"
#include "scheduler/batching/static_mode.h"
#include "scheduler/ordering/bin_order.h"
#include "scheduler/ordering/fair.h"
#include "scheduler/ordering/fcfs.h"
#include "scheduler/ordering/hrrn.h"
#include "scheduler/ordering/ljf.h"
#include "scheduler/ordering/mlfq.h"
#include "scheduler/ordering/priority.h"
#include "scheduler/ordering/rank.h"
#include "scheduler/ordering/sjf.h"
#include "scheduler/ordering/srpt.h"
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
    registerSrpt(registry);
    registerLjf(registry);
    registerBins(registry);
    registerPriority(registry);
    registerMlfq(registry);
    registerHrrn(registry);
    registerFair(registry);
    registerRank(registry);
    registerOneByOne(registry);
    registerStatic(registry);
    registerGrouped(registry);
    registerContinuous(registry);
    registerNoCorrection(registry);
    registerFcr(registry);
    registerExtend(registry);
    registerDemote(registry);
    return registry;
}

} // namespace batchscope
