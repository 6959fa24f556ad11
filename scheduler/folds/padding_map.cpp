// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/folds/padding_map.h"

#include <algorithm>
#include <numeric>

namespace batchscope {

void PaddingMap::append(std::span<const Event> events)
{
    for (const Event& event : events) {
        if (const auto* started = std::get_if<RunStarted>(&event.body))
            m_slots = std::max(m_slots, started->slot_count);
        else if (const auto* formed = std::get_if<BatchFormed>(&event.body))
            form(event.at_ns, *formed);
        else if (const auto* steps = std::get_if<Steps>(&event.body))
            addSteps(event.at_ns, *steps);
        else if (const auto* row = std::get_if<RowEnded>(&event.body))
            endRow(*row);
        else if (const auto* abandoned = std::get_if<AttemptAbandoned>(&event.body))
            abandon(abandoned->request);
        else if (const auto* batch = std::get_if<BatchEnded>(&event.body))
            endBatch(event.at_ns, batch->batch);
        else if (const auto* preempted = std::get_if<Preempted>(&event.body))
            m_residents.preempt(*preempted);
        else if (const auto* resumed = std::get_if<Resumed>(&event.body))
            m_residents.resume(*resumed);
        else if (const auto* run = std::get_if<RunEnded>(&event.body))
            endRun(*run);
    }
}

std::int64_t PaddingMap::occupied() const
{
    return std::accumulate(m_totals.begin(), m_totals.end(), std::int64_t{0});
}

const PaddingPiece* PaddingMap::at(std::uint32_t slot, std::int64_t step) const
{
    if (slot >= m_by_slot.size()) return nullptr;
    const auto& pieces = m_by_slot[slot];
    const auto after =
        std::upper_bound(pieces.begin(), pieces.end(), step,
                         [&](std::int64_t value, std::size_t i) { return value < m_pieces[i].first; });
    if (after == pieces.begin()) return nullptr;
    const PaddingPiece& piece = m_pieces[*(after - 1)];
    return step < piece.first + piece.count ? &piece : nullptr;
}

void PaddingMap::form(Nanos at_ns, const BatchFormed& formed)
{
    m_residents.form(formed);
    for (const RowStart& row : formed.rows)
        m_slots = std::max(m_slots, row.slot + 1U);
    const auto [position, is_new] = m_batch_position.try_emplace(formed.batch, m_batches.size());
    if (is_new)
        m_batches.push_back({formed.batch, formed.kind, m_steps, 0, 0, at_ns, at_ns,
                             formed.padded_prompt_tokens, formed.group, formed.bin, false});
    PaddingBatch& batch = m_batches[position->second];
    batch.rows = std::max(batch.rows, static_cast<std::uint32_t>(m_residents.occupied()));
}

void PaddingMap::addSteps(Nanos at_ns, const Steps& steps)
{
    const auto position = m_batch_position.find(steps.batch);
    if (position == m_batch_position.end()) return;
    PaddingBatch& batch = m_batches[position->second];
    for (const PromptRead& read : steps.reads) {
        const Resident* resident = m_residents.at(read.slot);
        if (!resident) continue;
        const int tokens = resident->row.held_prefill ? resident->row.prompt_tokens : read.tokens;
        const int padding = batch.padded_prompt_tokens > 0 ? batch.padded_prompt_tokens - tokens : 0;
        m_prompts.push_back({read.slot, m_steps, tokens, std::max(padding, 0)});
    }
    m_residents.advance(steps, [&](const Resident& resident, std::uint32_t first, std::uint32_t count,
                                   StepKind kind) { addPiece(resident, m_steps + first, count, kind); });
    m_steps += steps.count;
    batch.steps += steps.count;
    batch.end_ns = at_ns;
}

void PaddingMap::addPiece(const Resident& resident, std::int64_t first, std::int64_t count, StepKind kind)
{
    const RowStart& row = resident.row;
    m_totals[static_cast<std::size_t>(kind)] += count;
    if (row.slot >= m_by_slot.size()) m_by_slot.resize(row.slot + 1U);
    auto& in_slot = m_by_slot[row.slot];
    if (!in_slot.empty()) {
        PaddingPiece& last = m_pieces[in_slot.back()];
        if (last.kind == kind && last.first + last.count == first && last.batch == resident.batch &&
            last.request == row.request && last.attempt == row.attempt) {
            last.count += count;
            return;
        }
    }
    in_slot.push_back(m_pieces.size());
    if (kind != StepKind::Padding) m_open[row.request].push_back(m_pieces.size());
    m_pieces.push_back({row.slot, first, count, kind, row.request, row.attempt, resident.batch});
}

void PaddingMap::endRow(const RowEnded& ended)
{
    const Resident resident = m_residents.end(ended);
    if (spendsEndStep(ended.cause) && ended.slot < m_by_slot.size() && !m_by_slot[ended.slot].empty()) {
        PaddingPiece& last =
            m_pieces[m_by_slot[ended.slot].back()]; // its last pass yielded the end of sequence
        const std::int64_t step = last.first + --last.count;
        --m_totals[static_cast<std::size_t>(last.kind)];
        if (last.count > 0) {
            addPiece(resident, step, 1, StepKind::End);
        } else {
            last.kind = StepKind::End;
            last.count = 1;
            ++m_totals[static_cast<std::size_t>(StepKind::End)];
        }
    }
    if (isLost(ended.cause)) abandon(ended.request);
    if (isDelivered(ended.cause)) m_open.erase(ended.request);
}

void PaddingMap::endBatch(Nanos at_ns, BatchIndex batch)
{
    m_residents.endBatch(batch);
    const auto position = m_batch_position.find(batch);
    if (position == m_batch_position.end()) return;
    m_batches[position->second].end_ns = at_ns;
    m_batches[position->second].ended = true;
}

// Padding stays padding; a stalled row did no work that could be thrown away.
void PaddingMap::abandon(RequestIndex request)
{
    const auto open = m_open.find(request);
    if (open == m_open.end()) return;
    for (const std::size_t i : open->second) {
        PaddingPiece& piece = m_pieces[i];
        if (piece.kind == StepKind::Stalled) continue;
        m_totals[static_cast<std::size_t>(piece.kind)] -= piece.count;
        piece.kind = StepKind::Abandoned;
        m_totals[static_cast<std::size_t>(StepKind::Abandoned)] += piece.count;
    }
    m_open.erase(open);
}

// Whoever was preempted, or stopped by its limit, and could not go on: nothing comes of it any more.
void PaddingMap::endRun(const RunEnded& run)
{
    if (run.status == RunStatus::Interrupted) return;
    while (!m_open.empty())
        abandon(m_open.begin()->first);
}

} // namespace batchscope
