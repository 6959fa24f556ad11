// SPDX-License-Identifier: GPL-3.0-or-later
// Times in traces: numbers of a unit that the file does not name, or dates. The unit is proposed and can be
// set.
#pragma once

#include "scheduler/time.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace batchscope::engine {

enum class TimeUnit { Seconds, Milliseconds, Microseconds, Nanoseconds, Date };

std::string timeUnitName(TimeUnit unit);                         // "s", "ms", "us", "ns", "date"
std::optional<TimeUnit> timeUnitFromName(std::string_view name); // not "date": a text shows that it is one
std::string timeUnitText(TimeUnit unit);                         // "seconds", ...

struct TimeProposal
{
    TimeUnit unit = TimeUnit::Seconds;
    std::string why; // "the first, 1700000000, is a time since 1970 in seconds"
};

// From the first value and the unit that the column has in its format. A number that counts from 1970 in one
// of the units (between the years 2001 and 2286) is taken as that, whatever the column says.
TimeProposal proposeTimeUnit(std::string_view column, std::string_view first, TimeUnit of_column);

// Nanoseconds from the unit's zero (for a date 1970 in UTC; one without a zone is taken as UTC, which shifts
// all alike). "2023-11-16 18:15:46.6805900", with "T" and a zone too. nullopt: not a time, or beyond int64.
std::optional<Nanos> parseTime(std::string_view text, TimeUnit unit);

std::string hoursMinutesSeconds(Nanos span); // "0:58:22"

} // namespace batchscope::engine
