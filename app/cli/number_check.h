// SPDX-License-Identifier: GPL-3.0-or-later
// A check for CLI::Option::check() that a text is a number from `least` to `most`; CLI::Range lets "nan"
// pass.
#pragma once

#include <functional>
#include <string>

namespace batchscope::cli {

std::function<std::string(const std::string&)> numberBetween(double least, double most);

} // namespace batchscope::cli
