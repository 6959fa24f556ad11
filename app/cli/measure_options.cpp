// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/measure_options.h"

#include "app/cli/exit_code.h"

#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <system_error>

namespace batchscope::cli {
namespace {

constexpr double k_longest_s = 9e9; // what int64 nanoseconds hold

std::optional<double> secondsOf(const std::string& text)
{
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
    if (error != std::errc{} || stop != end || !(value >= 0 && value <= k_longest_s)) return std::nullopt;
    return value;
}

std::optional<std::int64_t> countOf(const std::string& text)
{
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stop != end || value < 0) return std::nullopt;
    return value;
}

} // namespace

void setWarmUp(sessions::MeasureSpec& measure, const std::string& text)
{
    const auto unit_at = text.find_first_not_of("0123456789.");
    const std::string number = text.substr(0, unit_at);
    std::string unit = unit_at == std::string::npos ? std::string() : text.substr(unit_at);
    unit.erase(0, unit.find_first_not_of(' '));
    if (unit == "s" && (measure.warm_up_s = secondsOf(number))) return;
    if ((unit == "r" || unit == "requests") && (measure.warm_up_requests = countOf(number))) return;
    throw UsageError(
        fmt::format("--warm-up {}: expected seconds such as 10s, or a number of requests such as "
                    "200r",
                    text));
}

void setWindow(sessions::MeasureSpec& measure, const std::string& text)
{
    const auto colon = text.find(':');
    const auto bound = [&](const std::string& part) -> std::optional<double> {
        return part.empty() ? std::nullopt : secondsOf(part);
    };
    if (colon != std::string::npos) {
        const std::string from = text.substr(0, colon), to = text.substr(colon + 1);
        measure.from_s = bound(from);
        measure.to_s = bound(to);
        const bool is_read =
            measure.from_s.has_value() == !from.empty() && measure.to_s.has_value() == !to.empty();
        if (is_read && (measure.from_s || measure.to_s) &&
            (!measure.to_s || measure.from_s.value_or(0) < *measure.to_s))
            return;
    }
    throw UsageError(
        fmt::format("--window {}: expected FROM:TO in seconds of the run, FROM below TO and either "
                    "of them left out for no bound, such as 10:60 or 10:",
                    text));
}

} // namespace batchscope::cli
