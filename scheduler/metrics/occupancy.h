// SPDX-License-Identifier: GPL-3.0-or-later
// How full the slots were and when somebody waited, over time. A slot is occupied from the moment its row's
// batch forms until the batch ends (static: rows that burn on included) or the row leaves (continuous).
#pragma once

#include "scheduler/event.h"

#include <optional>
#include <span>
#include <vector>

namespace batchscope {

struct TimeSpan
{
    Nanos from_ns = 0;
    Nanos to_ns = 0;
    bool operator==(const TimeSpan&) const = default;
};

struct OccupancyChange // from here on
{
    Nanos at_ns = 0;
    std::int64_t occupied = 0;
};

struct OccupancyCurve
{
    std::uint32_t slots = 0;
    Nanos end_ns = 0; // of the log
    std::vector<OccupancyChange> changes;
};

OccupancyCurve occupancyCurve(std::span<const Event> log);

// Mean share of occupied slots; null over an empty span or without slots.
std::optional<double> meanOccupancy(const OccupancyCurve& curve, TimeSpan over);

// From the first to the last moment at which all slots were occupied; null if they never were.
std::optional<TimeSpan> steadyWindow(const OccupancyCurve& curve);

// Nanoseconds of `over` during which at least one request waited: arrived and in no batch yet, stopped by
// its predicted limit (until it is run again or extended), or preempted (until it goes on).
Nanos waitingTime(std::span<const Event> log, TimeSpan over);

} // namespace batchscope
