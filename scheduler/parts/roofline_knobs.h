// SPDX-License-Identifier: GPL-3.0-or-later
// The figures from which the simulator works out what a pass costs where nobody has measured it: a device's
// data sheet and a model's shape. Stated like a part's parameters, so that preset files, session files, the
// window and the command line share one list. What is made of them is in engine/simulated/roofline.h.
#pragma once

#include "scheduler/registry.h"

#include <map>
#include <string>
#include <vector>

namespace batchscope {

// By dotted name ("device.peak_tflops"); what is left out takes its default.
using RooflineFigures = std::map<std::string, ParamValue>;

// Every figure with range, unit, help, default and its source. The defaults are Vicuna-7B in f16 on an A100.
const std::vector<ParamDescriptor>& rooflineKnobs();

// "312 TFLOP/s, 2,039 GB/s, 32 layers of 4,096, 2 bytes a weight", and every other figure that is not the
// default. Two lists of figures that mean the same read the same.
std::string describeRoofline(const RooflineFigures& figures);

} // namespace batchscope
