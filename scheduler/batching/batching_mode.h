// SPDX-License-Identifier: GPL-3.0-or-later
// Batching mode: when a batch forms, who is in it and how long it runs (scheduling.md). The loop asks; the
// mode decides.
#pragma once

#include "scheduler/backend.h"
#include "scheduler/event.h"
#include "scheduler/time.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace batchscope {

class LoopCore; // scheduler/loop/loop_core.h

// What the KV cache offers a run: fixed at its start, never read again while it runs.
struct KvBudget
{
    std::optional<std::int64_t> bytes; // absent: no bound
    std::int64_t bytes_per_token = 0;
    std::string_view remedy = {}; // what gives it more bytes: "raise limits.kv_bytes"
    bool operator==(const KvBudget&) const = default;
};

// The workload as far as memory is concerned.
struct WorkExtent
{
    std::size_t requests = 0;
    int longest_prompt = 0;
    int cap = 0; // limits.max_new_tokens
    KvBudget kv;
};

// The batch that asks most of the KV cache: rows * (longest prompt + limit) tokens beside the reserve.
struct BatchNeed
{
    int rows = 1;
    int limit_steps = 0;
    std::int64_t reserve_bytes = 0;
    const char* remedy = ""; // the parameter to lower, e.g. "batching.rows"
};

class BatchingMode
{
public:
    virtual ~BatchingMode() = default;
    virtual std::uint32_t slots() const = 0; // rows a batch can have
    virtual BatchNeed heaviest(const WorkExtent& extent) const = 0;
    // Throws SchedulerError where this workload or backend can never be served in this mode.
    virtual void checkAgainst(const std::string& /*strategy*/, const WorkExtent&, const Capabilities&) const
    {}
    // Whether requests are predicted when they enter the queue (else the mode asks for it, in serve).
    virtual bool predictsOnEntry() const = 0;
    virtual bool ready(const LoopCore& core) const = 0;
    // Rows run on between two calls of serve (continuous).
    virtual bool isBusy() const { return false; }
    // After a stop or an error: every row that still runs ends so.
    virtual void closeEarly(LoopCore& /*core*/, RowEnd /*cause*/) {}
    // When it becomes ready though nobody else arrives; somebody waits.
    virtual Nanos deadline(const LoopCore& core) const = 0;
    // Takes requests from the queue and serves them (static: a batch; grouped: a group; continuous: one
    // pass).
    virtual void serve(LoopCore& core) = 0;
};

} // namespace batchscope
