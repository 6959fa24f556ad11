// SPDX-License-Identifier: GPL-3.0-or-later
// The exception that leaves the scheduler room: a strategy or workload that cannot be run, with the reason.
#pragma once

#include <stdexcept>

namespace batchscope {

class SchedulerError : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

} // namespace batchscope
