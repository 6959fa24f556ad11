// SPDX-License-Identifier: GPL-3.0-or-later
// A backend in virtual time: rows run to their replayed lengths, passes take what the cost model says. Spans
// are computed in closed form, so that a run's cost grows with its requests and not with its tokens.
#pragma once

#include "engine/simulated/cost_model.h"
#include "scheduler/backend.h"
#include "scheduler/clock.h"

#include <vector>

namespace batchscope::engine {

// A pass that reads prompts is a span of its own. Throws BackendError where a request brings no output length
// and for plans that only continuous mode makes.
class SimulatedBackend final : public Backend
{
public:
    // `clock` is the run's, and must outlive the backend: it knows the picoseconds that `now_ns` cannot
    // carry.
    SimulatedBackend(CostModel model, const Clock& clock);

    SlotHandle admit(const Admission& admission, std::optional<SlotHandle> held) override;
    PassResult run(const Plan& plan, std::uint32_t at_most_steps, Nanos now_ns, Nanos not_beyond_ns) override;
    void hold(SlotHandle slot) override;
    void release(SlotHandle slot) override;
    void reset() override;
    MemoryUse memory() const override;
    Capabilities capabilities() const override;

    const CostModel& model() const { return m_model; }

private:
    struct Slot
    {
        bool used = false;
        bool in_batch = false;
        RequestIndex request = 0;
        int prompt_tokens = 0;
        int max_new_tokens = 0;
        int length = 0;    // replayed
        int generated = 0; // ids so far
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

    Slot& slotAt(SlotHandle handle, const char* caller);
    void open(const Plan& plan);
    PassWork firstPass(const Plan& plan);
    std::uint32_t stepsUntilEnd(const Plan& plan, std::uint32_t at_most_steps);
    void advance(const Plan& plan, PassResult& result);

    CostModel m_model;
    const Clock& m_clock;
    std::vector<Slot> m_slots;
    std::vector<SlotHandle> m_free;
    Batch m_batch;
};

} // namespace batchscope::engine
