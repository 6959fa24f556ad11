// SPDX-License-Identifier: GPL-3.0-or-later
// The padding map as a fold over the log: x = step of the run, y = slot, each run of equal slot-steps one
// piece.
#pragma once

#include "scheduler/event.h"
#include "scheduler/folds/residents.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace batchscope {

// Steps first...first+count-1 of the run's decode steps (from 0) in one slot, all of one kind.
struct PaddingPiece
{
    std::uint32_t slot = 0;
    std::int64_t first = 0;
    std::int64_t count = 0;
    StepKind kind = StepKind::Useful;
    RequestIndex request = 0;
    std::uint16_t attempt = 0;
    BatchIndex batch = 0;
    bool operator==(const PaddingPiece&) const = default;
};

struct PaddingBatch // a frame
{
    BatchIndex batch = 0;
    BatchKind kind = BatchKind::Static;
    std::int64_t first_step = 0;
    std::int64_t steps = 0;
    std::uint32_t rows = 0;
    Nanos start_ns = 0, end_ns = 0;
    int padded_prompt_tokens = 0;
    std::optional<GroupIndex> group;
    std::optional<int> bin;
    bool ended = false;
    bool operator==(const PaddingBatch&) const = default;
};

struct PromptMark // the pass that read a prompt, and its left padding
{
    std::uint32_t slot = 0;
    std::int64_t step = 0;
    int prompt_tokens = 0;
    int left_padding = 0;
    bool operator==(const PromptMark&) const = default;
};

// Incremental: feed events in order; the result does not depend on how they were cut, nor on how spans were
// split.
class PaddingMap
{
public:
    void append(std::span<const Event> events);
    const std::vector<PaddingPiece>& pieces() const { return m_pieces; }
    const std::vector<PaddingBatch>& batches() const { return m_batches; }
    const std::vector<PromptMark>& prompts() const { return m_prompts; }
    std::uint32_t slotCount() const { return m_slots; }
    std::int64_t steps() const { return m_steps; }
    std::int64_t total(StepKind kind) const { return m_totals[static_cast<std::size_t>(kind)]; }
    std::int64_t occupied() const; // sum of all kinds
    // Piece under (slot, step), if any.
    const PaddingPiece* at(std::uint32_t slot, std::int64_t step) const;

private:
    void form(Nanos at_ns, const BatchFormed& formed);
    void addSteps(Nanos at_ns, const Steps& steps);
    void addPiece(const Resident& resident, std::int64_t first, std::int64_t count, StepKind kind);
    void endRow(const RowEnded& ended);
    void endBatch(Nanos at_ns, BatchIndex batch);
    void abandon(RequestIndex request);
    void endRun(const RunEnded& run);

    Residents m_residents;
    std::vector<PaddingPiece> m_pieces;
    std::vector<PaddingBatch> m_batches;
    std::vector<PromptMark> m_prompts;
    std::vector<std::vector<std::size_t>> m_by_slot; // pieces of a slot, in the order of their steps
    std::unordered_map<RequestIndex, std::vector<std::size_t>> m_open; // pieces that may yet be thrown away
    std::unordered_map<BatchIndex, std::size_t> m_batch_position;
    std::uint32_t m_slots = 0;
    std::int64_t m_steps = 0;
    std::array<std::int64_t, k_step_kinds> m_totals{};
};

} // namespace batchscope
