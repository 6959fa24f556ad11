// SPDX-License-Identifier: GPL-3.0-or-later
// A backend in virtual time: rows run to their replayed lengths, passes take what the cost model says. Spans
// are computed in closed form, so that a run's cost grows with its requests and not with its tokens.
#pragma once

#include "engine/simulated/cost_model.h"
#include "scheduler/backend.h"
#include "scheduler/clock.h"

#include <vector>

namespace batchscope::engine {

// A pass that reads prompts is a span of its own. Throws BackendError where a request brings no output
// length. A row of a continuous batch costs what its own context does; keeping its KV cache aside and
// bringing it back takes the model's time for each token, which the next pass waits for.
class SimulatedBackend final : public Backend
{
public:
    // `clock` is the run's, and must outlive the backend: it knows the picoseconds that `now_ns` cannot
    // carry.
    SimulatedBackend(CostModel model, const Clock& clock);

    SlotHandle admit(const Admission& admission, std::optional<SlotHandle> held) override;
    PassResult run(const Plan& plan, std::uint32_t at_most_steps, Nanos now_ns, Nanos not_beyond_ns) override;
    void hold(SlotHandle slot) override;
    void evict(SlotHandle slot) override;
    void release(SlotHandle slot) override;
    void reset() override;
    MemoryUse memory() const override;
    Capabilities capabilities() const override;
    std::optional<Nanos> serviceAlone(int prompt_tokens, int passes) const override;

    const CostModel& model() const { return m_model; }

private:
    struct Slot
    {
        bool used = false;
        bool in_batch = false;
        RequestIndex request = 0;
        int prompt_tokens = 0;
        int max_new_tokens = 0;
        int length = 0;             // replayed
        int generated = 0;          // ids so far
        int cached = 0;             // continuous: tokens in its KV cache
        int unread = 0;             // continuous: prompt (evicted: and answer) tokens still to be read
        bool is_continuous = false; // it has been a row of a continuous batch
        bool is_aside = false;      // continuous: its cache is kept aside
        bool ends_at_cap() const { return length >= max_new_tokens; }
        // Passes until it ends, the one for the end of sequence included.
        int stepsLeft() const { return ends_at_cap() ? max_new_tokens - generated : length - generated + 1; }
    };
    struct Batch // the static batch that runs
    {
        std::int64_t rows = 0;
        int padded_prompt_tokens = 0;
        int limit_steps = 0;
        std::int64_t passes = 0; // run so far
    };

    PassResult runContinuous(const Plan& plan, std::uint32_t at_most_steps, Nanos not_beyond_ns);
    PassResult straightPasses(const PassWork& work, std::uint32_t steps, Picos waits_ps,
                              Nanos not_beyond_ns) const;
    PassWork continuousPass(const Plan& plan, std::uint32_t& steps);
    void swap(Slot& slot);
    Slot& slotAt(SlotHandle handle, const char* caller)
    {
        const auto index = static_cast<std::size_t>(handle);
        if (index >= m_slots.size() || !m_slots[index].used) refuseSlot(handle, caller);
        return m_slots[index];
    }
    [[noreturn]] static void refuseSlot(SlotHandle handle, const char* caller);
    void open(const Plan& plan);
    PassWork firstPass(const Plan& plan);
    std::uint32_t stepsUntilEnd(const Plan& plan, std::uint32_t at_most_steps);
    void advance(const Plan& plan, PassResult& result);

    CostModel m_model;
    const Clock& m_clock;
    std::vector<Slot> m_slots;
    std::vector<SlotHandle> m_free;
    Batch m_batch;
    Picos m_swap_ps = 0;              // moving KV caches, not yet part of a pass
    std::int64_t m_cached_tokens = 0; // continuous: of all slots whose cache is not aside
    std::size_t m_static_slots = 0;   // in use and, so far, in no continuous batch
};

} // namespace batchscope::engine
