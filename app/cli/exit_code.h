// SPDX-License-Identifier: GPL-3.0-or-later
// How a command ends (design/cli.md).
#pragma once

#include <stdexcept>

namespace batchscope::cli {

enum ExitCode { Done = 0, Failed = 1, Usage = 2, InvalidFile = 3, ModelProblem = 4, Cancelled = 5 };

// Options that contradict each other or name nothing: exit code 2, with what to write instead.
class UsageError : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

} // namespace batchscope::cli
