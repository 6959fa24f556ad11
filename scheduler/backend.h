// SPDX-License-Identifier: GPL-3.0-or-later
// The joint between the loop and what executes passes: the libtorch engine (wall clock) or the cost-model
// simulator (virtual clock). A strategy cannot tell them apart (house.md, idea 2).
#pragma once

#include "scheduler/event.h"
#include "scheduler/request.h"
#include "scheduler/time.h"

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace batchscope {

using SlotHandle = std::int32_t; // a backend's name for a request's place (KV cache rows and position)

struct Admission
{
    const Request* request = nullptr;
    int max_new_tokens = 0; // generated ids at most (cap and context already applied by the loop)
    std::optional<int>
        forced_length; // replayed, fixed or drawn: the end of sequence is held back, then forced
    Sampling sampling;
};

enum class RowRole : std::uint8_t {
    Read, // reads `prompt_tokens` of its prompt in the first pass; decodes once it has read it all
    Held, // its prompt was read while predicting: the first pass hands out the token already computed
    Decode,
    Burn, // static batching: its row has ended; the pass computes it all the same
    Stall // resident, not advanced
};

struct PlanRow
{
    SlotHandle slot = 0;
    RowRole role = RowRole::Decode;
    int prompt_tokens = 0; // Read: how many of the remaining prompt tokens
};

// What the next passes compute. A static batch keeps the order of its rows from its first plan to its last.
struct Plan
{
    bool static_batch = true;
    bool first = false;           // the batch's first plan: allocate for these rows
    int padded_prompt_tokens = 0; // static: every prompt is padded to this width on the left
    int limit_steps = 0;          // static: no row goes further (what the KV cache must hold)
    std::vector<PlanRow> rows;
};

struct RowOutcome
{
    std::size_t row = 0;        // position in Plan::rows
    RowEnd cause = RowEnd::Eos; // Eos, Length, Cap (its max_new_tokens was reached) or Failed
    int output_tokens = 0;      // generated ids so far, end of sequence excluded
};

struct PassResult
{
    std::uint32_t steps = 0;
    std::vector<Nanos> durations_ns; // measured: one a step
    Picos first_ps = 0;              // simulated: step i takes first_ps + i * growth_ps
    Picos growth_ps = 0;
    std::vector<std::vector<TokenId>>
        new_ids;                   // per row of the plan, end of sequence excluded; empty when simulated
    std::vector<RowOutcome> ended; // rows that ended in the last step
};

struct MemoryUse
{
    std::int64_t weights_bytes = 0;
    std::int64_t kv_allocated_bytes = 0;
    std::int64_t kv_used_bytes = 0;
};

struct Capabilities
{
    bool measured = false;     // wall clock
    bool continuous = false;   // rows may join and leave a running batch
    bool free_lengths = false; // the model decides (false: lengths must be replayed)
    int context = 0;           // prompt + generated tokens at most; 0: no bound
    std::int64_t kv_bytes_per_token = 0;
    std::optional<std::int64_t> kv_bytes; // free for KV at the start of a run; absent: no bound
};

// One thread at a time. Device errors and out-of-memory leave as BackendError; the backend can be used again
// after reset().
class Backend
{
public:
    virtual ~Backend() = default;

    // A place for the request. `held` = the handle a predictor left (its prompt is read already).
    virtual SlotHandle admit(const Admission& admission, std::optional<SlotHandle> held) = 0;
    // Runs at most `at_most_steps` (>= 1) passes and returns after the first pass at which a row ends or
    // whose end is at or beyond `not_beyond_ns` on the run's clock, so that nothing is decided late. `now_ns`
    // is the clock at entry. It may return sooner with nobody ended (the simulator does after a pass that
    // reads prompts): call again.
    virtual PassResult run(const Plan& plan, std::uint32_t at_most_steps, Nanos now_ns,
                           Nanos not_beyond_ns) = 0;
    // Keeps the KV cache of a row that leaves its batch (extend, preemption keep-kv). The row goes on with
    // Decode.
    virtual void hold(SlotHandle slot) = 0;
    // Continuous: drops the KV cache of a row that leaves its batch and keeps what it has generated
    // (preemption recompute). The row goes on with Read of prompt and generated tokens together; the last
    // pass of that read yields the next token.
    virtual void evict(SlotHandle slot);
    virtual void release(SlotHandle slot) = 0;
    virtual void reset() = 0; // drops every slot
    virtual MemoryUse memory() const = 0;
    virtual Capabilities capabilities() const = 0;
    // Time that a request takes by itself in so many passes, the one that reads its prompt included; absent
    // where nobody has calibrated it.
    virtual std::optional<Nanos> serviceAlone(int prompt_tokens, int passes) const;
};

class BackendError : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

} // namespace batchscope
