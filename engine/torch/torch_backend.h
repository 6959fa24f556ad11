// SPDX-License-Identifier: GPL-3.0-or-later
// The Backend of measured runs: static and continuous batches on a loaded model, every pass timed on the wall
// clock. Rows of a static batch that have ended are computed until their batch ends.
#pragma once

#include "engine/torch/continuous_rows.h"
#include "engine/torch/row_progress.h"
#include "engine/torch/static_batch.h"
#include "engine/torch/torch_model.h"
#include "scheduler/backend.h"

#include <map>
#include <optional>
#include <vector>

namespace batchscope::engine {

class TorchBackend final : public Backend
{
public:
    explicit TorchBackend(TorchModel& model);

    SlotHandle admit(const Admission& admission, std::optional<SlotHandle> held) override;
    PassResult run(const Plan& plan, std::uint32_t at_most_steps, Nanos now_ns, Nanos not_beyond_ns) override;
    void hold(SlotHandle slot) override;
    void evict(SlotHandle slot) override;
    void release(SlotHandle slot) override;
    void reset() override;
    MemoryUse memory() const override;
    Capabilities capabilities() const override;

    TorchModel& model() { return m_model; }
    // A predictor's prefill, kept until it is admitted or released.
    SlotHandle keep(HeldSequence sequence);

private:
    struct Slot
    {
        std::optional<RowProgress> progress; // absent: kept by a predictor, not admitted yet
        std::span<const TokenId> prompt;     // of the workload's request
        std::optional<HeldSequence> held;
    };
    struct Row // of the batch; outlives its slot, as a released row burns on
    {
        SlotHandle slot;
        RowProgress progress;
        bool released = false;
    };

    // Passes until a row ends or a bound is reached, each timed; `pass(first)` computes one.
    template <typename Pass>
    static PassResult timed(std::size_t rows, std::uint32_t at_most_steps, Nanos now_ns, Nanos not_beyond_ns,
                            const Pass& pass);
    void joinNewcomers(const Plan& plan);
    void form(const Plan& plan);
    void checkRoom(const Plan& plan) const;
    void firstPass();
    void nextPass();
    void finishPass(const Plan& plan, PassResult& result);
    Row* rowOf(SlotHandle slot);
    Slot& slotOf(SlotHandle slot, const char* purpose);

    TorchModel& m_model;
    StaticBatch m_batch;
    ContinuousRows m_continuous;
    std::map<SlotHandle, Slot> m_slots;
    std::vector<Row> m_rows;
    at::Tensor m_logits; // [rows, vocabulary], f32, on the CPU: after the pass
    bool m_first_pass_due = false;
    SlotHandle m_next_slot = 0;
};

} // namespace batchscope::engine
