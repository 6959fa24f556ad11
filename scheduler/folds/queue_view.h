// SPDX-License-Identifier: GPL-3.0-or-later
// Who waits, in which order, and why each pick was made: a fold over the log.
#pragma once

#include "scheduler/event.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace batchscope {

struct WaitingRequest
{
    RequestIndex request = 0;
    Nanos arrival_ns = 0;
    int prompt_tokens = 0;
    std::optional<int> predicted_tokens;
    int moved = 0;          // places gained (> 0) or lost (< 0) against arrival order
    bool recompute = false; // collected by FCR, waits for the group's end
    bool operator==(const WaitingRequest&) const = default;
};

struct Decision // what a Picked event says, kept for the Why panel
{
    std::int64_t number = 0; // from 1
    Nanos at_ns = 0;
    Picked picked;
    std::optional<int> predicted, first_passed_predicted;
    std::optional<int> bin; // grouped mode: the largest of its batch
};

class QueueView
{
public:
    // by_prediction: order shown by predicted length (ties by arrival, index), else by arrival.
    explicit QueueView(bool by_prediction = false) : m_by_prediction(by_prediction) {}
    void append(std::span<const Event> events);
    std::vector<WaitingRequest> waiting() const;   // in the order they would be served
    std::size_t size() const { return m_waiting; } // collected ones included
    const std::vector<Decision>& decisions() const { return m_decisions; }
    // "r12 goes next into batch 12. Predicted 89 tokens, bin 100; waited 3.1 s. Passed over r4: predicted 388
    // tokens."
    std::string explain(const Decision& decision) const;

private:
    struct Entry
    {
        WaitingRequest request;
        bool waits = false;
        bool predicted = false; // a prediction was made, known or not
    };
    Entry& entry(RequestIndex request);
    void wait(Entry& entry);
    void leave(Entry& entry);
    void decide(Nanos at_ns, const Picked& picked);
    bool servedBefore(const Entry& a, const Entry& b) const;

    std::vector<Entry> m_entries; // by request index
    std::size_t m_waiting = 0;
    std::vector<Decision> m_decisions;
    std::size_t m_undated = 0; // decisions from here on wait for their batch to form
    bool m_by_prediction = false;
};

} // namespace batchscope
