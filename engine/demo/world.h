// SPDX-License-Identifier: GPL-3.0-or-later
// The demo world's instructions: every item is a pure function of (split, index, seed), equal on every
// machine. Served splits share one mix; model training has its own. Throws std::out_of_range on an unknown
// key.
#pragma once

#include "engine/demo/demo_item.h"
#include "engine/demo/splits.h"
#include "engine/demo/task.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace batchscope::engine {

// All tasks in a fixed order.
const std::vector<Task>& demoTasks();

// One item; items of one split may repeat an instruction.
DemoItem demoItem(DemoSplit split, std::uint64_t index, std::uint64_t seed);

// The first `count` items of the split without repeating an instruction.
std::vector<DemoItem> demoItems(DemoSplit split, int count, std::uint64_t seed);

// The task and parameters that a key ("story:4.17.2.0") names.
struct DemoKey
{
    const Task* task = nullptr;
    TaskParams params{};
};
DemoKey parseDemoKey(std::string_view key);

} // namespace batchscope::engine
