// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/torch/continuous_rows.h"

#include <fmt/core.h>

namespace batchscope::engine {

ContinuousRows::Row& ContinuousRows::rowOf(SlotHandle slot)
{
    const auto found = m_rows.find(slot);
    if (found == m_rows.end())
        throw BackendError(fmt::format("Slot {} is no row of the continuous batch.", slot));
    return found->second;
}

void ContinuousRows::admit(SlotHandle slot, RowProgress progress, std::span<const TokenId> prompt,
                           std::optional<HeldSequence> held)
{
    m_rows.emplace(slot, Row{std::move(progress), {prompt.begin(), prompt.end()}, std::move(held), {}, {}});
}

void ContinuousRows::readNext(Row& row, const PlanRow& plan)
{
    if (!row.reading) row.reading.emplace(m_model, row.ids);
    const std::int64_t left = static_cast<std::int64_t>(row.ids.size()) - row.reading->tokensRead();
    if (plan.prompt_tokens < 1 || plan.prompt_tokens > left)
        throw BackendError(fmt::format("Slot {} is to read {} tokens; {} are left of its {}.", plan.slot,
                                       plan.prompt_tokens, left, row.ids.size()));
    row.reading->read(plan.prompt_tokens);
}

void ContinuousRows::advance(Row& row, std::size_t index, std::span<const float> logits, PassResult& result)
{
    if (const auto id = row.progress.advance(logits)) {
        row.ids.push_back(*id);
        result.new_ids[index].push_back(*id);
    }
    if (row.progress.ended())
        result.ended.push_back({index, *row.progress.ended(), row.progress.outputTokens()});
}

// Those who come back are put beside the others, all decode in one product, then those whose prompt has been
// read join with the logits of their last token.
void ContinuousRows::pass(const Plan& plan, bool is_first_of_plan, PassResult& result)
{
    const c10::InferenceMode no_autograd;
    m_batch.preparePass();
    std::vector<std::int64_t> places;
    std::vector<TokenId> inputs;
    std::vector<std::size_t> decoding, joining;
    for (std::size_t i = 0; i < plan.rows.size(); ++i) {
        const PlanRow& planned = plan.rows[i];
        Row& row = rowOf(planned.slot);
        if (planned.role == RowRole::Stall) continue;
        if (is_first_of_plan && planned.role == RowRole::Held) {
            joining.push_back(i);
            continue;
        }
        if (is_first_of_plan && planned.role == RowRole::Read) {
            readNext(row, planned);
            if (row.reading->isWhole()) joining.push_back(i);
            continue;
        }
        if (!row.place && !row.aside)
            throw BackendError(fmt::format("Slot {} is to decode and has not been read.", planned.slot));
        decoding.push_back(i);
    }
    for (const std::size_t i : decoding) { // first all rebuilding, then the columns stand
        Row& row = rowOf(plan.rows[i].slot);
        if (!row.place) row.place = m_batch.join(row.aside->tokens + 1);
    }
    for (const std::size_t i : joining) {
        Row& row = rowOf(plan.rows[i].slot);
        row.place = m_batch.join(row.aside ? row.aside->tokens : static_cast<std::int64_t>(row.ids.size()));
    }
    for (const std::size_t i : decoding) {
        Row& row = rowOf(plan.rows[i].slot);
        if (row.aside) m_batch.place(*row.place, *row.aside);
        row.aside.reset();
        places.push_back(*row.place);
        inputs.push_back(row.progress.nextInput());
    }
    const at::Tensor logits = decoding.empty() ? at::Tensor() : m_batch.decode(places, inputs);
    const auto width = decoding.empty() ? 0 : static_cast<std::size_t>(logits.size(1));
    for (std::size_t k = 0; k < decoding.size(); ++k)
        advance(rowOf(plan.rows[decoding[k]].slot), decoding[k],
                {logits.data_ptr<float>() + k * width, width}, result);
    for (const std::size_t i : joining) {
        Row& row = rowOf(plan.rows[i].slot);
        const HeldSequence held = row.aside ? std::move(*row.aside) : row.reading->take();
        row.aside.reset();
        row.reading.reset();
        m_batch.place(*row.place, held);
        advance(row, i, held.next_logits, result);
    }
    m_batch.passDone();
}

void ContinuousRows::keepAside(SlotHandle slot)
{
    Row& row = rowOf(slot);
    if (!row.place) throw BackendError(fmt::format("Slot {} cannot be kept aside: it is in no batch.", slot));
    row.aside = m_batch.copyOut(*row.place);
    m_batch.leave(*row.place);
    row.place.reset();
}

void ContinuousRows::forget(SlotHandle slot)
{
    Row& row = rowOf(slot);
    if (row.place) m_batch.leave(*row.place);
    row.place.reset();
    row.aside.reset();
    row.reading.reset();
}

void ContinuousRows::release(SlotHandle slot)
{
    const auto found = m_rows.find(slot);
    if (found == m_rows.end()) return;
    if (found->second.place) m_batch.leave(*found->second.place);
    m_rows.erase(found);
}

void ContinuousRows::clear()
{
    m_rows.clear();
    m_batch.clear();
}

std::int64_t ContinuousRows::allocatedBytes() const
{
    std::int64_t bytes = m_batch.allocatedBytes();
    for (const auto& [slot, row] : m_rows) {
        if (row.reading) bytes += row.reading->allocatedBytes();
        if (row.aside) bytes += row.aside->tokens * m_batch.bytesPerToken();
    }
    return bytes;
}

std::int64_t ContinuousRows::usedBytes() const
{
    std::int64_t tokens = 0;
    for (const auto& [slot, row] : m_rows) {
        if (row.place) tokens += m_batch.tokensOf(*row.place);
        if (row.reading) tokens += row.reading->tokensRead();
        if (row.aside) tokens += row.aside->tokens;
    }
    return tokens * m_batch.bytesPerToken();
}

} // namespace batchscope::engine
