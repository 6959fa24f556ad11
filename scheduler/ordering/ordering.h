// SPDX-License-Identifier: GPL-3.0-or-later
// Ordering: a key per waiting request, smaller first; ties by arrival, then by index in the workload
// (scheduling.md).
#pragma once

#include "scheduler/event.h"
#include "scheduler/request.h"

namespace batchscope {

class Ordering
{
public:
    virtual ~Ordering() = default;
    // `predicted_tokens` is 1...cap; the cap where the prediction is unknown or there is no predictor.
    virtual double key(const Request& request, int predicted_tokens) const = 0;
    // What a strictly better key is called in the log.
    virtual PickRule strictRule() const { return PickRule::Key; }
};

// A request's place in the queue. A file's id is a label and is never compared.
struct OrderKey
{
    double key = 0.0;
    Nanos arrival_ns = 0;
    RequestIndex request = 0;
    bool operator==(const OrderKey&) const = default;
    friend bool operator<(const OrderKey& a, const OrderKey& b)
    {
        if (a.key != b.key) return a.key < b.key;
        if (a.arrival_ns != b.arrival_ns) return a.arrival_ns < b.arrival_ns;
        return a.request < b.request;
    }
};

} // namespace batchscope
