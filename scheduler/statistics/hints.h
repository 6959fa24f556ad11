// SPDX-License-Identifier: GPL-3.0-or-later
// What a run's log says of the load it was under: whether it kept up with its arrivals, and whether requests
// in flight, rate and time in the system fit together (Little's law).
#pragma once

#include "scheduler/backend.h"
#include "scheduler/event.h"
#include "scheduler/request.h"
#include "scheduler/strategy.h"

#include <optional>
#include <span>
#include <string>

namespace batchscope {

// Over the time during which requests arrived.
struct LoadHint
{
    double arrival_rate = 0;       // requests/s, first arrival to last
    double completion_rate = 0;    // requests/s, over the same time
    double waiting_first_half = 0; // requests that waited for a batch, on average over time
    double waiting_second_half = 0;
    bool is_growing =
        false; // the queue: more than twice as long in the second half, and by a request at least
    bool is_saturated = false; // ... and fewer than 95 % of the arrivals were answered meanwhile
    std::string words;         // what that means for whoever reads the figures
};

// Absent where no rate can be told: fewer than 20 requests, or all arrive at once.
std::optional<LoadHint> loadHint(std::span<const Event> log);

// L = lambda W (J. D. C. Little, Operations Research 9 (1961)): requests in the system on average over time
// against arrivals a second times mean seconds in the system. Both sides are taken from the log on their own.
// They are equal for a run that begins and ends empty; a gap is what had not been answered when the log
// ended.
struct LittlesLaw
{
    double in_system = 0;        // L: mean over time, from the first arrival to the end of the log
    double arrival_rate = 0;     // lambda: arrivals / the same time
    double time_in_system_s = 0; // W: mean of the answered requests
    double product() const { return arrival_rate * time_in_system_s; }
    double gap() const { return in_system - product(); }
    std::string words;
};

// Absent where nothing was answered or no time passed.
std::optional<LittlesLaw> littlesLaw(std::span<const Event> log);

// What a workload asks of the backend, before anything has run.
struct OfferedLoad
{
    double rate_per_s = 0; // requests, first arrival to last
    double service_s = 0;  // of one alone, on average
    bool operator==(const OfferedLoad&) const = default;
};
// Absent where all arrive at once or in a closed loop, and where the backend knows no service times.
std::optional<OfferedLoad> offeredLoad(const Workload& workload, const Strategy& strategy,
                                       const Backend& backend);
// What so many slots make of it: rho = rate x service / slots is a lower bound, for a request takes no less
// time beside others than alone. From 1 on the queue grows as long as requests arrive.
std::string offeredWords(const OfferedLoad& offered, std::int64_t slots);

// Before a run: how many are in flight at once when `rate` requests a second take so long each, however many
// were meant to run "at a time".
std::string inFlightHint(double rate, double service_s);

} // namespace batchscope
