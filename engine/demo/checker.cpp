// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/demo/checker.h"

#include "engine/demo/world.h"

namespace batchscope::engine {
namespace {

std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view blank = " \n\t\r";
    const std::size_t first = text.find_first_not_of(blank);
    return first == std::string_view::npos ? std::string_view{}
                                           : text.substr(first, text.find_last_not_of(blank) - first + 1);
}

} // namespace

bool isRight(const DemoItem& item, std::string_view answer)
{
    const DemoKey key = parseDemoKey(item.key);
    const std::string reference = key.task->answer(key.params);
    const std::string_view given = trimmed(answer);
    return given == trimmed(reference) ||
           (!key.task->tail.empty() && given == trimmed(reference + std::string(key.task->tail)));
}

} // namespace batchscope::engine
