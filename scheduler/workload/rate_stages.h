// SPDX-License-Identifier: GPL-3.0-or-later
// Arrivals whose rate changes with time: stages and ramps.
#pragma once

#include "scheduler/workload/arrivals.h"

namespace batchscope {

// Seconds of `count` arrivals. A Poisson stream of the moment's rate (time is stretched so that arrivals of
// rate 1 fall due; Lewis and Shedler's inversion), or with spec.even_gaps one arrival whenever the expected
// number passes a whole one. What is left after the last stage goes on at the last stage's final rate. Throws
// SchedulerError naming the stage and what was expected.
std::vector<double> stageTimes(const ArrivalSpec& spec, std::size_t count, Random random);

// "stages: 60 s at 2/s, 30 s from 2/s to 8/s".
std::string describeStages(const ArrivalSpec& spec);

} // namespace batchscope
