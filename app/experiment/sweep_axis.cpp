// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/experiment/sweep.h"
#include "sessions/error.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <system_error>

namespace batchscope::app {
namespace {

using sessions::DocumentError;

constexpr std::size_t k_most_values = 10'000;

struct Decimal
{
    double value = 0;
    int places = 0; // behind the point
};

std::optional<Decimal> decimalOf(const std::string& text)
{
    Decimal decimal;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, decimal.value, std::chars_format::fixed);
    if (error != std::errc{} || stop != end || !std::isfinite(decimal.value)) return std::nullopt;
    if (const auto point = text.find('.'); point != std::string::npos)
        decimal.places = static_cast<int>(text.size() - point - 1);
    return decimal;
}

std::vector<std::string> split(const std::string& text, char separator)
{
    std::vector<std::string> parts(1);
    int depth = 0; // a list or an object is one value
    bool quoted = false;
    for (const char c : text) {
        if (c == '"') quoted = !quoted;
        if (!quoted && (c == '[' || c == '{')) ++depth;
        if (!quoted && (c == ']' || c == '}')) --depth;
        if (c == separator && depth == 0 && !quoted)
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

// Values are counted from the beginning, so that no rounding piles up, and written with the places they were
// given with.
std::vector<std::string> steps(const std::string& axis, const Decimal& from, const Decimal& to,
                               const Decimal& step)
{
    constexpr double k_slack = 1e-9; // of a step: 0.1:1.0:0.1 includes its end
    const double count = std::floor((to.value - from.value) / step.value + k_slack) + 1;
    if (step.value <= 0 || count < 1 || count > static_cast<double>(k_most_values))
        throw DocumentError(fmt::format(
            "--vary {}: from:to:step gives {} values, expected 1 to {}: a step above 0 and an end "
            "that is not below the beginning",
            axis, step.value > 0 ? fmt::format("{:g}", std::max(0.0, count)) : "no end of", k_most_values));
    const int places = std::max(from.places, step.places);
    std::vector<std::string> values;
    for (int i = 0; i < static_cast<int>(count); ++i)
        values.push_back(fmt::format("{:.{}f}", from.value + i * step.value, places));
    return values;
}

} // namespace

SweepAxis parseSweepAxis(const std::string& text)
{
    const auto equals = text.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == text.size())
        throw DocumentError(fmt::format("--vary {}: expected key=value,value,… or key=from:to:step, such as "
                                        "batching.rows=1,2,4,8 or workload.arrivals.rate=0.1:1.0:0.1",
                                        text));
    SweepAxis axis{text.substr(0, equals), {}};
    const std::string given = text.substr(equals + 1);
    if (const auto range = split(given, ':'); range.size() == 3) {
        const auto from = decimalOf(range[0]), to = decimalOf(range[1]), step = decimalOf(range[2]);
        if (from && to && step) {
            axis.values = steps(text, *from, *to, *step);
            return axis;
        }
    }
    axis.values = split(given, ',');
    for (std::size_t i = 0; i < axis.values.size(); ++i) {
        if (axis.values[i].empty())
            throw DocumentError(
                fmt::format("--vary {}: value {} is empty, expected values between the commas", text, i + 1));
        if (std::find(axis.values.begin(), axis.values.begin() + static_cast<std::ptrdiff_t>(i),
                      axis.values[i]) != axis.values.begin() + static_cast<std::ptrdiff_t>(i))
            throw DocumentError(
                fmt::format("--vary {}: {} is there twice; leave one out", text, axis.values[i]));
    }
    return axis;
}

} // namespace batchscope::app
