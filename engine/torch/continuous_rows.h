// SPDX-License-Identifier: GPL-3.0-or-later
// Continuous batching on a loaded model, by the plain path: what each pass computes, row by row.
#pragma once

#include "engine/torch/row_progress.h"
#include "engine/torch/slot_batch.h"
#include "scheduler/backend.h"

#include <map>
#include <optional>
#include <vector>

namespace batchscope::engine {

class ContinuousRows
{
public:
    explicit ContinuousRows(const Llama& model) : m_model(model), m_batch(model) {}

    void admit(SlotHandle slot, RowProgress progress, std::span<const TokenId> prompt,
               std::optional<HeldSequence> held);
    bool holds(SlotHandle slot) const { return m_rows.count(slot) > 0; }
    // One pass of the plan's rows. New ids and the rows that ended are added to `result`.
    void pass(const Plan& plan, bool is_first_of_plan, PassResult& result);
    void keepAside(SlotHandle slot); // its keys and values leave the batch, and come back with it
    void forget(SlotHandle slot);    // its keys and values are gone: it is read again, with its answer
    void release(SlotHandle slot);
    void clear();

    std::int64_t allocatedBytes() const;
    std::int64_t usedBytes() const;

private:
    struct Row
    {
        RowProgress progress;
        std::vector<TokenId> ids; // prompt and answer so far
        std::optional<HeldSequence> aside;
        std::optional<ReadingSequence> reading;
        std::optional<std::int64_t> place; // row of the batch
    };
    Row& rowOf(SlotHandle slot);
    void readNext(Row& row, const PlanRow& plan);
    void advance(Row& row, std::size_t index, std::span<const float> logits, PassResult& result);

    const Llama& m_model;
    SlotBatch m_batch;
    std::map<SlotHandle, Row> m_rows;
};

} // namespace batchscope::engine
