// SPDX-License-Identifier: GPL-3.0-or-later
// Ordering: a key per waiting request, smaller first; ties by arrival, then by index in the workload
// (scheduling.md). Most keys stand still while a request waits; an ordering whose keys move brings its own
// queue.
#pragma once

#include "scheduler/event.h"
#include "scheduler/request.h"

#include <memory>
#include <optional>
#include <string_view>

namespace batchscope {

// What may decide a request's place: of one that waits or, where it can be preempted, of one that runs.
struct Standing
{
    RequestIndex request = 0;
    Nanos arrival_ns = 0;
    int prompt_tokens = 0;
    int predicted_tokens = 1;        // 1...cap; the cap where the prediction is unknown or there is none
    std::optional<double> score;     // of a rank predictor
    int generated_tokens = 0;        // by now
    std::optional<double> service_s; // predicted seconds of service by itself; absent: unknown
    int priority = 0;
    std::string_view client;
    Nanos ran_ns = 0; // how long it has run, where it was preempted or can be: no waiting

    Nanos waitsFromNs() const { return arrival_ns + ran_ns; } // a wait of now - this
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

// Those who wait, in order. Times never go back.
class WaitingOrder
{
public:
    virtual ~WaitingOrder() = default;
    virtual void enter(const Standing& standing, Nanos now_ns) = 0;
    virtual void leave(RequestIndex request) = 0; // one that entered and has not left
    virtual std::optional<OrderKey> first(Nanos now_ns) = 0;
};

class Ordering
{
public:
    virtual ~Ordering() = default;

    virtual double key(const Standing& standing, Nanos now_ns) const = 0;
    // What a strictly better key is called in the log.
    virtual PickRule strictRule() const { return PickRule::Key; }
    // An order for this ordering's waiting requests; the ordering must outlive it. By default one for keys
    // that do not move while a request waits.
    virtual std::unique_ptr<WaitingOrder> makeOrder();

    // Continuous mode. Whether a waiting request with a strictly better key takes the place of a running one.
    virtual bool preempts() const { return false; }
    // A running request that has come so far that it keeps its place.
    virtual bool keepsPlace(const Standing&) const { return false; }
    // Whether service that a running request is given moves its key or others': only then are the two below
    // asked and told.
    virtual bool followsService() const { return false; }
    // Passes after which a running request's key gets worse; absent: never.
    virtual std::optional<int> passesUntilWorse(const Standing&) const { return std::nullopt; }
    // What a request was given since the last call: prompt tokens read and tokens generated.
    virtual void served(const Standing&, int /*read_tokens*/, int /*generated_tokens*/) {}
};

} // namespace batchscope
