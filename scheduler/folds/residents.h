// SPDX-License-Identifier: GPL-3.0-or-later
// Who sits in which slot, and what each pass was for them: the one place that gives slot-steps their kind
// (metrics.md). Metrics, padding map and throughput strip all read the log through it.
#pragma once

#include "scheduler/event.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace batchscope {

enum class StepKind : std::uint8_t { Useful, End, Chunk, Padding, Abandoned, Stalled };
inline constexpr std::size_t k_step_kinds = 6;
std::string stepKindName(StepKind kind); // "useful", "end", "chunk", "padding", "abandoned", "stalled"

// A row's tokens reach somebody. (Limit: nobody yet; FCR throws them away, extend goes on from them.)
constexpr bool isDelivered(RowEnd end)
{
    return end == RowEnd::Eos || end == RowEnd::Length || end == RowEnd::Cap;
}
// Nothing can come of a row that failed or was cancelled: its steps are abandoned ones.
constexpr bool isLost(RowEnd end)
{
    return end == RowEnd::Failed || end == RowEnd::Cancelled;
}

struct Resident
{
    RowStart row;
    BatchIndex batch = 0;
    BatchKind kind = BatchKind::Static;
    bool prompt_read = false; // from here on it yields a token a pass
    std::optional<RowEnd> ended;
};

class Residents
{
public:
    void form(const BatchFormed& formed);
    // Calls visit(Resident&, first, count, kind) for each run of equal slot-steps of the span, slot by slot;
    // first is counted from the span's first pass. A pass that yields is Useful here: that it was the end of
    // sequence, or that its attempt is thrown away, is known only from later events.
    template <typename Visit>
    void advance(const Steps& steps, Visit visit);
    // The row that ended, as it stands afterwards (in continuous mode it has left its slot).
    Resident end(const RowEnded& ended);
    void endBatch(BatchIndex batch);
    void preempt(const Preempted& preempted);
    void resume(const Resumed& resumed);

    const Resident* at(std::uint32_t slot) const; // null: idle
    std::int64_t occupied() const { return static_cast<std::int64_t>(m_occupied.size()); }

private:
    enum class Mark : std::uint8_t { None, Completes, Chunk, Stalled }; // a slot's part in the span at hand
    struct Place
    {
        std::optional<Resident> resident;
        Mark mark = Mark::None;
    };
    void seat(const Resident& resident);
    void leave(std::uint32_t slot);
    void setMark(std::uint32_t slot, Mark mark);

    std::vector<Place> m_places;           // by slot
    std::vector<std::uint32_t> m_occupied; // slots in the order they were taken
    std::map<RequestIndex, Resident> m_preempted;
};

template <typename Visit>
void Residents::advance(const Steps& steps, Visit visit)
{
    const std::uint32_t n = steps.count;
    if (n == 0) return;
    for (const PromptRead& read : steps.reads)
        setMark(read.slot, read.completes ? Mark::Completes : Mark::Chunk);
    for (const std::uint32_t slot : steps.stalled)
        setMark(slot, Mark::Stalled);
    for (const std::uint32_t slot : m_occupied) {
        Place& place = m_places[slot];
        Resident& resident = *place.resident;
        if (resident.batch != steps.batch) continue;
        const Mark mark = std::exchange(place.mark, Mark::None);
        if (resident.ended) {
            visit(resident, 0U, n, StepKind::Padding);
        } else if (mark == Mark::Chunk) {
            visit(resident, 0U, 1U, StepKind::Chunk);
            if (n > 1) visit(resident, 1U, n - 1, StepKind::Stalled); // reads happen in the first pass only
        } else if (mark == Mark::Stalled || (mark == Mark::None && !resident.prompt_read)) {
            visit(resident, 0U, n, StepKind::Stalled);
        } else {
            resident.prompt_read = true;
            visit(resident, 0U, n, StepKind::Useful);
        }
    }
}

} // namespace batchscope
