// SPDX-License-Identifier: GPL-3.0-or-later
// A kind of instruction: how its parameters are drawn, how it is asked (in several wordings) and what the
// right answer is. The answer depends on the parameters alone; `tail` is a closing that an answer may also
// carry.
#pragma once

#include "engine/demo/demo_random.h"

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace batchscope::engine {

using TaskParams = std::array<int, 4>;

struct Task
{
    std::string_view name;
    int servingShare = 0;  // parts of the mix that is served, relative to the others'
    int trainingShare = 0; // parts of the mix that the model learns from
    int wordings = 1;
    TaskParams (*draw)(DemoRandom&) = nullptr;
    std::string (*ask)(const TaskParams&, int wording) = nullptr;
    std::string (*answer)(const TaskParams&) = nullptr;
    std::string_view tail = {};
};

std::span<const Task> shortTasks();
std::span<const Task> proseTasks();
std::span<const Task> listTasks();
std::span<const Task> tableTasks();
std::span<const Task> longTasks();
std::span<const Task> peopleTasks();

} // namespace batchscope::engine
