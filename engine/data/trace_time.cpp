// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/data/trace_time.h"

#include "engine/data/text_lines.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <fmt/core.h>

namespace batchscope::engine {
namespace {

struct UnitFacts
{
    TimeUnit unit;
    const char* name;
    const char* text;
    std::int64_t ns; // of one
};

constexpr std::array<UnitFacts, 4> k_units{{{TimeUnit::Seconds, "s", "seconds", 1'000'000'000},
                                            {TimeUnit::Milliseconds, "ms", "milliseconds", 1'000'000},
                                            {TimeUnit::Microseconds, "us", "microseconds", 1'000},
                                            {TimeUnit::Nanoseconds, "ns", "nanoseconds", 1}}};

constexpr double k_2001_s = 1e9, k_2286_s = 1e10; // since 1970
constexpr double k_most_ns = 9.2e18;              // int64

std::optional<double> realOf(std::string_view text)
{
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(number))
        return std::nullopt;
    return number;
}

// Whole numbers exactly: a double of nanoseconds since 1970 is 256 ns coarse.
std::optional<Nanos> parseNumber(std::string_view text, std::int64_t ns)
{
    std::int64_t whole = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
    if (error == std::errc{} && end == text.data() + text.size()) {
        Nanos product = 0;
        if (__builtin_mul_overflow(whole, ns, &product)) return std::nullopt;
        return product;
    }
    const auto real = realOf(text);
    if (!real || std::abs(*real * static_cast<double>(ns)) > k_most_ns) return std::nullopt;
    return static_cast<Nanos>(std::llround(*real * static_cast<double>(ns)));
}

// Takes fixed-width fields off the front of a text.
class Fields
{
public:
    explicit Fields(std::string_view text) : m_rest(text) {}

    bool isDone() const { return m_rest.empty(); }
    bool take(char c)
    {
        if (m_rest.empty() || m_rest.front() != c) return false;
        m_rest.remove_prefix(1);
        return true;
    }
    std::optional<int> digits(std::size_t count)
    {
        if (m_rest.size() < count) return std::nullopt;
        int number = 0;
        for (std::size_t i = 0; i < count; ++i) {
            if (m_rest[i] < '0' || m_rest[i] > '9') return std::nullopt;
            number = number * 10 + (m_rest[i] - '0');
        }
        m_rest.remove_prefix(count);
        return number;
    }
    Nanos fraction() // ".6805900": what is finer than a nanosecond is cut
    {
        if (!take('.')) return 0;
        Nanos ns = 0;
        std::int64_t place = 100'000'000;
        while (!m_rest.empty() && m_rest.front() >= '0' && m_rest.front() <= '9') {
            ns += (m_rest.front() - '0') * place;
            place /= 10;
            m_rest.remove_prefix(1);
        }
        return ns;
    }
    // "Z", "+00:00", "-0800", "+01", or nothing: minutes east of Greenwich.
    std::optional<int> zone()
    {
        if (isDone() || take('Z')) return 0;
        const int sign = take('+') ? 1 : take('-') ? -1 : 0;
        if (sign == 0) return std::nullopt;
        const auto hours = digits(2);
        if (!hours) return std::nullopt;
        take(':');
        const int minutes = isDone() ? 0 : digits(2).value_or(-1);
        return minutes < 0 ? std::nullopt : std::optional(sign * (*hours * 60 + minutes));
    }

private:
    std::string_view m_rest;
};

std::optional<Nanos> parseDate(std::string_view text)
{
    Fields fields(text);
    const auto year = fields.digits(4);
    if (!year || !fields.take('-')) return std::nullopt;
    const auto month = fields.digits(2);
    if (!month || !fields.take('-')) return std::nullopt;
    const auto day = fields.digits(2);
    if (!day || !(fields.take(' ') || fields.take('T'))) return std::nullopt;
    const auto hour = fields.digits(2);
    if (!hour || !fields.take(':')) return std::nullopt;
    const auto minute = fields.digits(2);
    if (!minute || !fields.take(':')) return std::nullopt;
    const auto second = fields.digits(2);
    if (!second) return std::nullopt;
    const Nanos fraction = fields.fraction();
    const auto zone = fields.zone();
    const std::chrono::year_month_day date{std::chrono::year(*year),
                                           std::chrono::month(static_cast<unsigned>(*month)),
                                           std::chrono::day(static_cast<unsigned>(*day))};
    const bool valid =
        date.ok() && *hour < 24 && *minute < 60 && *second <= 60 && *year >= 1900 && *year < 2200;
    if (!valid || !zone || !fields.isDone()) return std::nullopt;
    const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
    const std::int64_t seconds = days * 86400 + *hour * 3600 + *minute * 60 + *second - *zone * 60;
    return seconds * k_second + fraction;
}

} // namespace

std::string timeUnitName(TimeUnit unit)
{
    for (const auto& facts : k_units)
        if (facts.unit == unit) return facts.name;
    return "date";
}

std::optional<TimeUnit> timeUnitFromName(std::string_view name)
{
    for (const auto& facts : k_units)
        if (facts.name == name) return facts.unit;
    return std::nullopt;
}

std::string timeUnitText(TimeUnit unit)
{
    for (const auto& facts : k_units)
        if (facts.unit == unit) return facts.text;
    return "date and time";
}

TimeProposal proposeTimeUnit(std::string_view column, std::string_view first, TimeUnit of_column)
{
    const std::string_view text = trimmed(first);
    if (parseDate(text)) return {TimeUnit::Date, fmt::format("\"{}\" holds dates", column)};
    const auto number = realOf(text);
    if (!number)
        return {of_column, fmt::format("\"{}\" holds {} in this format", column, timeUnitText(of_column))};
    for (const auto& facts : k_units) {
        const double in_seconds = *number * static_cast<double>(facts.ns) / 1e9;
        if (in_seconds >= k_2001_s && in_seconds < k_2286_s)
            return {facts.unit, fmt::format("the first, {}, is a time since 1970 in {}", text, facts.text)};
    }
    return {of_column, fmt::format("\"{}\" holds {} in this format and the first is {}", column,
                                   timeUnitText(of_column), text)};
}

std::optional<Nanos> parseTime(std::string_view text, TimeUnit unit)
{
    text = trimmed(text);
    for (const auto& facts : k_units)
        if (facts.unit == unit) return parseNumber(text, facts.ns);
    return parseDate(text);
}

std::string hoursMinutesSeconds(Nanos span)
{
    const std::int64_t seconds = (span + k_second / 2) / k_second;
    return fmt::format("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

} // namespace batchscope::engine
