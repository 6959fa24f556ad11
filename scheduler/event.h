// SPDX-License-Identifier: GPL-3.0-or-later
// The event log's vocabulary (house.md, ideas 1 and 5). A run is a sequence of these in non-decreasing
// `at_ns`; every metric, plot, table and report is a fold over it. Token ids are kept beside the log, per
// attempt.
#pragma once

#include "scheduler/compact_list.h"
#include "scheduler/request.h"
#include "scheduler/time.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace batchscope {

using BatchIndex = std::uint32_t; // batches of a run, numbered from 0 as they form
using GroupIndex = std::uint32_t; // groups of grouped mode, numbered from 0

enum class PredictionKind : std::uint8_t { None, Tokens, Class, Rank };
enum class Delivery : std::uint8_t { Streamed, BatchEnd };
enum class RunStatus : std::uint8_t { Completed, Failed, Cancelled, Interrupted };

// Why a row ended. Eos and Length spend their last step on the end of sequence; Cap and Limit do not.
enum class RowEnd : std::uint8_t {
    Eos,    // the model ended its answer
    Length, // the replayed/fixed/drawn length was reached and the end of sequence forced
    Cap,    // limits.max_new_tokens (or the context) was reached: delivered
    Limit,  // the *predicted* limit was reached: FCR collects it
    Failed,
    Cancelled
};
constexpr bool spendsEndStep(RowEnd end)
{
    return end == RowEnd::Eos || end == RowEnd::Length;
}

// Whoever asked has what there will be: nothing more follows for this request.
constexpr bool isAnswered(RowEnd end)
{
    return end != RowEnd::Limit && end != RowEnd::Cancelled;
}

// How a pick was decided.
enum class PickRule : std::uint8_t {
    Arrival,  // first come
    Key,      // strictly better key than the next
    Tie,      // equal keys: by arrival, then by index
    Bin,      // smaller bin first (grouped mode)
    Aged,     // promoted by the ageing bound
    OnlyOne,  // nobody else waited
    Recompute // FCR: collected at the group's end
};

enum class BatchKind : std::uint8_t { Static, Micro, Recompute, Extend, Continuous };

struct RunStarted
{
    std::uint32_t requests = 0;
    std::uint32_t slot_count = 0; // largest number of rows a batch may have (for VBS by memory: max_rows)
    int max_new_tokens = 0;
    std::optional<std::int64_t> kv_bytes; // the KV budget, fixed for the run
    Delivery delivery = Delivery::Streamed;
    bool measured = false; // wall clock or virtual clock
    bool operator==(const RunStarted&) const = default;
};

struct Arrived // at_ns = dispatched: the moment the loop took it in; arrival_ns <= at_ns
{
    RequestIndex request = 0;
    Nanos arrival_ns = 0;
    int prompt_tokens = 0;
    bool operator==(const Arrived&) const = default;
};

struct Predicted // at_ns = end of the call
{
    RequestIndex request = 0;
    PredictionKind kind = PredictionKind::None;
    std::optional<int> tokens; // absent: unknown, the cap is used
    std::optional<int> upper_bound;
    std::optional<double> score; // rank only
    Nanos elapsed_ns = 0;        // this request's share of the call; the shares of a call add up to it
    bool held_prefill = false;   // generation goes on from the predictor's prefill
    bool failed = false;         // the predictor failed on it: counted, the run goes on
    bool operator==(const Predicted&) const = default;
};

struct Picked // one a row of a forming batch, before its BatchFormed
{
    RequestIndex request = 0;
    BatchIndex batch = 0;
    PickRule rule = PickRule::Arrival;
    double key = 0.0; // ordering's key (smaller first); for fcfs the arrival in seconds
    Nanos waited_ns = 0;
    std::uint32_t passed_over = 0; // waiting requests that had arrived earlier and were not taken before
    std::optional<RequestIndex> runner_up; // next in the order
    double runner_up_key = 0.0;
    std::optional<RequestIndex> first_passed; // of the passed over: the one that arrived first
    double first_passed_key = 0.0;
    bool operator==(const Picked&) const = default;
};

struct RowStart
{
    std::uint32_t slot = 0; // row of the padding map
    RequestIndex request = 0;
    std::uint16_t attempt = 0; // 0, then 1 for a recomputation
    int prompt_tokens = 0;
    int limit_steps = 0; // passes it may take; stopped there by Limit (or Cap where that is the cap)
    bool limit_is_cap = true;
    bool held_prefill = false; // its prompt was read while predicting
    int resumed_tokens = 0;    // already generated and kept (extend, keep-kv)
    bool operator==(const RowStart&) const = default;
};

struct BatchFormed // continuous mode: rows join the standing batch; its index repeats
{
    BatchIndex batch = 0;
    BatchKind kind = BatchKind::Static;
    std::optional<GroupIndex> group;
    std::optional<int> bin;       // grouped mode: the largest bin of its rows, in tokens
    int padded_prompt_tokens = 0; // width every prompt is padded to on the left; 0: no padding
    std::vector<RowStart> rows;
    bool operator==(const BatchFormed&) const = default;
};

struct PromptRead
{
    std::uint32_t slot = 0;
    int tokens = 0;        // 0 for a held prefill, whose read was charged to the prediction
    bool completes = true; // yields the row's first token
    bool operator==(const PromptRead&) const = default;
};

// A span of passes of one batch during which no row joined, ended or changed its role. at_ns = end of the
// last pass. Reads happen in the first pass of the span. Every resident row takes part: until its read
// completes it reads or stalls, then it yields a token a pass, and after RowEnded it burns (static) or is
// gone (continuous).
struct Steps
{
    BatchIndex batch = 0;
    std::uint32_t first_step = 1; // number of its first pass within the batch, from 1
    std::uint32_t count = 0;
    Nanos start_ns = 0;
    CompactList<Nanos> durations_ns; // measured: one a pass; empty when simulated
    Picos start_ps = 0;              // simulated: exact start ...
    Picos first_ps = 0;              // ... duration of the first pass ...
    Picos growth_ps = 0;             // ... and what each later pass takes more than the one before it
    CompactList<PromptRead> reads;
    CompactList<std::uint32_t> stalled; // slots resident and not advanced throughout the span
    bool operator==(const Steps&) const = default;
};

struct RowEnded
{
    BatchIndex batch = 0;
    std::uint32_t slot = 0;
    RequestIndex request = 0;
    std::uint16_t attempt = 0;
    RowEnd cause = RowEnd::Eos;
    int output_tokens = 0;  // generated ids of the attempt, end of sequence excluded
    std::uint32_t step = 0; // pass of the batch at which it ended
    bool operator==(const RowEnded&) const = default;
};

struct AttemptAbandoned
{
    RequestIndex request = 0;
    std::uint16_t attempt = 0;
    BatchIndex batch = 0;
    int tokens = 0; // thrown away
    bool operator==(const AttemptAbandoned&) const = default;
};

struct BatchEnded
{
    BatchIndex batch = 0;
    std::uint32_t steps = 0; // passes it ran
    bool operator==(const BatchEnded&) const = default;
};

struct Promoted
{
    RequestIndex request = 0;
    Nanos waited_ns = 0;
    Nanos bound_ns = 0;
    bool operator==(const Promoted&) const = default;
};

struct Preempted
{
    RequestIndex request = 0;
    BatchIndex batch = 0;
    std::uint32_t slot = 0;
    double key = 0.0;
    std::optional<RequestIndex> in_favour_of;
    double favoured_key = 0.0;
    bool keeps_kv = false;
    bool operator==(const Preempted&) const = default;
};

struct Resumed
{
    RequestIndex request = 0;
    BatchIndex batch = 0;
    std::uint32_t slot = 0;
    int kept_tokens = 0;
    bool operator==(const Resumed&) const = default;
};

struct MemorySample
{
    std::int64_t weights_bytes = 0;
    std::int64_t kv_allocated_bytes = 0;
    std::int64_t kv_used_bytes = 0;
    bool operator==(const MemorySample&) const = default;
};

struct RunPaused
{
    bool operator==(const RunPaused&) const = default;
};

struct RunContinued // the run's clock stood still meanwhile; later arrivals moved with it
{
    bool operator==(const RunContinued&) const = default;
};

struct RunEnded
{
    RunStatus status = RunStatus::Completed;
    std::string message; // why it failed; empty otherwise
    bool operator==(const RunEnded&) const = default;
};

using EventBody =
    std::variant<RunStarted, Arrived, Predicted, Picked, BatchFormed, Steps, RowEnded, AttemptAbandoned,
                 BatchEnded, Promoted, Preempted, Resumed, MemorySample, RunPaused, RunContinued, RunEnded>;

struct Event
{
    Nanos at_ns = 0;
    EventBody body;
    bool operator==(const Event&) const = default;
};
static_assert(sizeof(Event) <= 88, "a run of a million requests holds ten million of them in memory");

// "run-started", "arrived", ... as in the exported JSONL.
std::string eventName(const EventBody& body);
std::string runStatusName(RunStatus status); // "completed", "failed", "cancelled", "interrupted"
std::string rowEndName(RowEnd end);          // "eos", "length", "cap", "limit", "failed", "cancelled"
std::string pickRuleName(PickRule rule);

// Exact duration of `count` simulated passes, of which the first takes `first_ps` and each later one
// `growth_ps` more than the one before it.
constexpr Picos spanPs(Picos first_ps, Picos growth_ps, std::int64_t count)
{
    return count * first_ps + growth_ps * (count * (count - 1) / 2);
}

// End of the i-th pass of a span (0 <= i < count): measured, the sum of durations; simulated, the floor of
// the exact picosecond sum.
Nanos stepEndNs(const Steps& steps, std::uint32_t i);

} // namespace batchscope
