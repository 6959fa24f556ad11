// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/metrics/occupancy.h"

#include "scheduler/folds/residents.h"

#include <algorithm>

namespace batchscope {

namespace {

Nanos overlap(TimeSpan a, TimeSpan b)
{
    return std::max<Nanos>(0, std::min(a.to_ns, b.to_ns) - std::max(a.from_ns, b.from_ns));
}

// Waits of every request, in the order in which they began in the log.
std::vector<TimeSpan> waits(std::span<const Event> log)
{
    std::vector<TimeSpan> all;
    std::vector<std::optional<Nanos>> since; // by request
    const auto begin = [&](RequestIndex request, Nanos from_ns) {
        if (request >= since.size()) since.resize(request + std::size_t{1});
        since[request] = from_ns;
    };
    const auto end = [&](RequestIndex request, Nanos to_ns) {
        if (request >= since.size() || !since[request]) return;
        all.push_back({*since[request], to_ns});
        since[request].reset();
    };
    for (const Event& event : log) {
        if (const auto* arrived = std::get_if<Arrived>(&event.body))
            begin(arrived->request, arrived->arrival_ns);
        else if (const auto* preempted = std::get_if<Preempted>(&event.body))
            begin(preempted->request, event.at_ns);
        else if (const auto* row = std::get_if<RowEnded>(&event.body); row && row->cause == RowEnd::Limit)
            begin(row->request, event.at_ns); // until it is run again or extended
        else if (row)
            end(row->request, event.at_ns); // cancelled before it was in any batch
        else if (const auto* formed = std::get_if<BatchFormed>(&event.body))
            for (const RowStart& start : formed->rows)
                end(start.request, event.at_ns);
    }
    for (RequestIndex request = 0; request < since.size(); ++request)
        end(request, log.empty() ? 0 : log.back().at_ns);
    return all;
}

} // namespace

OccupancyCurve occupancyCurve(std::span<const Event> log)
{
    OccupancyCurve curve;
    Residents residents;
    for (const Event& event : log) {
        const std::int64_t before = residents.occupied();
        if (const auto* started = std::get_if<RunStarted>(&event.body))
            curve.slots = started->slot_count;
        else if (const auto* formed = std::get_if<BatchFormed>(&event.body))
            residents.form(*formed);
        else if (const auto* row = std::get_if<RowEnded>(&event.body))
            residents.end(*row);
        else if (const auto* batch = std::get_if<BatchEnded>(&event.body))
            residents.endBatch(batch->batch);
        else if (const auto* preempted = std::get_if<Preempted>(&event.body))
            residents.preempt(*preempted);
        else if (const auto* resumed = std::get_if<Resumed>(&event.body))
            residents.resume(*resumed);
        if (residents.occupied() != before) curve.changes.push_back({event.at_ns, residents.occupied()});
        curve.end_ns = event.at_ns;
    }
    return curve;
}

std::optional<double> meanOccupancy(const OccupancyCurve& curve, TimeSpan over)
{
    if (over.to_ns <= over.from_ns || curve.slots == 0) return std::nullopt;
    double slot_seconds = 0;
    for (std::size_t i = 0; i < curve.changes.size(); ++i) {
        const Nanos until_ns = i + 1 < curve.changes.size() ? curve.changes[i + 1].at_ns : curve.end_ns;
        slot_seconds += static_cast<double>(curve.changes[i].occupied) *
                        toSeconds(overlap({curve.changes[i].at_ns, until_ns}, over));
    }
    return slot_seconds / (static_cast<double>(curve.slots) * toSeconds(over.to_ns - over.from_ns));
}

std::optional<TimeSpan> steadyWindow(const OccupancyCurve& curve)
{
    std::optional<TimeSpan> window;
    for (std::size_t i = 0; i < curve.changes.size(); ++i) {
        if (curve.slots == 0 || curve.changes[i].occupied < curve.slots) continue;
        const Nanos until_ns = i + 1 < curve.changes.size() ? curve.changes[i + 1].at_ns : curve.end_ns;
        if (!window) window = TimeSpan{curve.changes[i].at_ns, until_ns};
        window->to_ns = until_ns;
    }
    return window;
}

Nanos waitingTime(std::span<const Event> log, TimeSpan over)
{
    std::vector<TimeSpan> all = waits(log);
    std::sort(all.begin(), all.end(), [](TimeSpan a, TimeSpan b) { return a.from_ns < b.from_ns; });
    Nanos sum_ns = 0;
    Nanos covered_to_ns = over.from_ns;
    for (const TimeSpan& wait : all) {
        const TimeSpan fresh{std::max(wait.from_ns, covered_to_ns), wait.to_ns};
        sum_ns += overlap(fresh, over);
        covered_to_ns = std::max(covered_to_ns, wait.to_ns);
    }
    return sum_ns;
}

} // namespace batchscope
