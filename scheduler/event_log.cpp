// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/event_log.h"

#include "scheduler/validation/log_checker.h"

namespace batchscope {

std::vector<std::string> validateLog(std::span<const Event> log)
{
    LogChecker checker;
    for (const Event& event : log)
        checker.take(event);
    return checker.finish();
}

} // namespace batchscope
