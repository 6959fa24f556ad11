// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/number_check.h"

#include <charconv>
#include <fmt/format.h>
#include <system_error>

namespace batchscope::cli {

std::function<std::string(const std::string&)> numberBetween(double least, double most)
{
    return [least, most](const std::string& text) -> std::string {
        double value = 0;
        const char* end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data(), end, value);
        if (error == std::errc{} && stop == end && value >= least && value <= most) return {};
        return fmt::format("found {}, expected a number from {} to {}", text, least, most);
    };
}

} // namespace batchscope::cli
