// SPDX-License-Identifier: GPL-3.0-or-later
// One instruction of the demo world with its reference answer. `key` names the task and its parameters
// without the wording ("story:4.17.2"): splits are made by it and the checker rebuilds the answer from it.
#pragma once

#include <string>

namespace batchscope::engine {

struct DemoItem
{
    std::string task;
    std::string key;
    std::string instruction;
    std::string answer;

    bool operator==(const DemoItem&) const = default;
};

} // namespace batchscope::engine
