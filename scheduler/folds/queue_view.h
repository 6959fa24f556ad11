// SPDX-License-Identifier: GPL-3.0-or-later
// Who waits, in which order, and why each decision was made: a fold over the log. The order is that of the
// run's own ordering, asked again with what the log says.
#pragma once

#include "scheduler/event.h"
#include "scheduler/folds/decision.h"
#include "scheduler/folds/residents.h"
#include "scheduler/ordering/ordering.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace batchscope {

class Registry;
struct Strategy;

struct WaitingRequest
{
    RequestIndex request = 0;
    Nanos arrival_ns = 0;
    int prompt_tokens = 0;
    std::optional<int> predicted_tokens;
    int moved = 0;          // places gained (> 0) or lost (< 0) against arrival order
    double key = 0.0;       // of the ordering; smaller goes first
    int generated = 0;      // tokens it had when it lost its place
    bool recompute = false; // collected by FCR, waits for the group's end
    bool aged = false;      // promoted: it goes first
    bool preempted = false; // it ran before
    bool operator==(const WaitingRequest&) const = default;
};

// What the log does not say. Without an ordering they wait in order of arrival.
struct QueueRules
{
    struct Asker
    {
        int priority = 0;
        std::string client;
    };
    std::unique_ptr<Ordering> ordering;
    std::optional<int> bin_width; // grouped mode: bins ascend, and inside a bin the ordering decides
    int cap = 1;                  // stands for a prediction that is not known, and bounds the others
    bool demotes = false;         // an over-runner counts as one of the cap
    std::function<Asker(RequestIndex)> asker;
};
QueueRules queueRulesOf(const Strategy& strategy, const Registry& registry,
                        std::function<QueueRules::Asker(RequestIndex)> asker = {});

class QueueView
{
public:
    explicit QueueView(QueueRules rules = {});
    void append(std::span<const Event> events);
    std::vector<WaitingRequest> waiting() const;   // in the order they would be served
    std::size_t size() const { return m_waiting; } // collected ones included
    const std::vector<Decision>& decisions() const { return m_decisions; }

private:
    struct Entry
    {
        WaitingRequest request;
        std::optional<double> score;
        QueueRules::Asker asker;
        bool waits = false;
        bool predicted = false; // a prediction was made, known or not
        bool keeps_kv = false;
        Nanos joined_ns = 0; // when it last came into a batch
        Nanos ran_ns = 0;    // in stays that ended with the loss of its place
    };
    struct Place // how the waiting ones are sorted
    {
        int turn = 0, bin = 0;
        OrderKey order;
        bool operator<(const Place& other) const;
    };
    Entry& entry(RequestIndex request);
    void arrive(const Arrived& arrived);
    void predict(const Predicted& predicted);
    void promote(const Promoted& promoted);
    void preempt(const Preempted& preempted);
    void pick(const Picked& picked);
    void form(const BatchFormed& formed);
    void follow(const Steps& steps);
    void end(const RowEnded& ended);
    void wait(Entry& entry);
    void leave(Entry& entry);
    void addDecision(Decision decision, RequestIndex request);
    Standing standingOf(const Entry& entry) const;
    Place placeOf(const Entry& entry) const;

    QueueRules m_rules;
    std::unique_ptr<WaitingOrder> m_order; // the ordering's own queue: those that count clients or levels
                                           // learn from it who comes and goes
    std::vector<Entry> m_entries;          // by request index
    std::size_t m_waiting = 0;
    std::vector<Decision> m_decisions;
    std::size_t m_undated = 0; // decisions from here on wait for their batch to form
    Residents m_residents;
    Nanos m_now_ns = 0;
    Nanos m_pass_time_ns = 0; // of all passes so far
    std::int64_t m_passes = 0;
};

} // namespace batchscope
