// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/folds/residents.h"

#include <algorithm>

namespace batchscope {

std::string stepKindName(StepKind kind)
{
    switch (kind) {
    case StepKind::Useful:
        return "useful";
    case StepKind::End:
        return "end";
    case StepKind::Chunk:
        return "chunk";
    case StepKind::Padding:
        return "padding";
    case StepKind::Abandoned:
        return "abandoned";
    case StepKind::Stalled:
        return "stalled";
    }
    return {};
}

void Residents::seat(const Resident& resident)
{
    const std::uint32_t slot = resident.row.slot;
    if (slot >= m_places.size()) m_places.resize(slot + 1U);
    if (!m_places[slot].resident) m_occupied.push_back(slot);
    m_places[slot] = {resident, Mark::None};
}

void Residents::leave(std::uint32_t slot)
{
    if (slot >= m_places.size() || !m_places[slot].resident) return;
    m_places[slot] = {};
    m_occupied.erase(std::find(m_occupied.begin(), m_occupied.end(), slot));
}

void Residents::setMark(std::uint32_t slot, Mark mark)
{
    if (slot < m_places.size()) m_places[slot].mark = mark;
}

const Resident* Residents::at(std::uint32_t slot) const
{
    return slot < m_places.size() && m_places[slot].resident ? &*m_places[slot].resident : nullptr;
}

void Residents::form(const BatchFormed& formed)
{
    for (const RowStart& row : formed.rows)
        seat({row, formed.batch, formed.kind, row.resumed_tokens > 0, std::nullopt});
}

Resident Residents::end(const RowEnded& ended)
{
    if (ended.slot >= m_places.size() || !m_places[ended.slot].resident) return {};
    Resident& resident = *m_places[ended.slot].resident;
    resident.ended = ended.cause;
    const Resident copy = resident;
    if (copy.kind == BatchKind::Continuous) leave(ended.slot);
    return copy;
}

void Residents::endBatch(BatchIndex batch)
{
    std::erase_if(m_occupied, [&](std::uint32_t slot) {
        const bool member = m_places[slot].resident->batch == batch;
        if (member) m_places[slot] = {};
        return member;
    });
}

void Residents::preempt(const Preempted& preempted)
{
    if (preempted.slot >= m_places.size() || !m_places[preempted.slot].resident) return;
    m_preempted[preempted.request] = *m_places[preempted.slot].resident;
    leave(preempted.slot);
}

void Residents::resume(const Resumed& resumed)
{
    const auto found = m_preempted.find(resumed.request);
    if (found == m_preempted.end()) return;
    Resident resident = found->second;
    m_preempted.erase(found);
    resident.row.slot = resumed.slot;
    resident.batch = resumed.batch;
    resident.prompt_read = resumed.kept_tokens > 0;
    seat(resident);
}

} // namespace batchscope
