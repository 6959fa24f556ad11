// SPDX-License-Identifier: GPL-3.0-or-later
// Drives a Backend by hand, as the loop would, for tests of one static batch.
#pragma once

#include "scheduler/backend.h"

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

namespace batchscope::tests {

inline Request requestOf(RequestIndex index, std::vector<TokenId> ids)
{
    Request request;
    request.index = index;
    request.id = "r" + std::to_string(index);
    request.prompt_tokens = static_cast<int>(ids.size());
    request.prompt_ids = std::move(ids);
    return request;
}

// One static batch from its first plan to its last row's end.
class BatchDriver
{
public:
    explicit BatchDriver(Backend& backend) : m_backend(backend) { m_plan.first = true; }

    void add(const Admission& admission, std::optional<SlotHandle> held = {}, RowRole role = RowRole::Read)
    {
        const int prompt = admission.request->prompt_tokens;
        m_plan.rows.push_back({m_backend.admit(admission, held), held ? role : RowRole::Read, prompt});
        m_plan.padded_prompt_tokens = std::max(m_plan.padded_prompt_tokens, prompt);
        m_plan.limit_steps = std::max(m_plan.limit_steps, admission.max_new_tokens + 1);
        ids.emplace_back();
        ends.emplace_back();
    }
    Plan& plan() { return m_plan; }

    PassResult pass(std::uint32_t steps, Nanos not_beyond = std::numeric_limits<Nanos>::max())
    {
        PassResult result = m_backend.run(m_plan, steps, 0, not_beyond);
        m_plan.first = false;
        for (PlanRow& row : m_plan.rows)
            if (row.role != RowRole::Burn) row.role = RowRole::Decode;
        for (std::size_t i = 0; i < ids.size(); ++i)
            ids[i].insert(ids[i].end(), result.new_ids[i].begin(), result.new_ids[i].end());
        for (const RowOutcome& outcome : result.ended) {
            ends[outcome.row] = outcome;
            m_plan.rows[outcome.row].role = RowRole::Burn;
        }
        passes += result.steps;
        durations += result.durations_ns.size();
        return result;
    }
    bool done() const
    {
        return std::all_of(ends.begin(), ends.end(), [](const auto& end) { return end.has_value(); });
    }
    void toTheEnd()
    {
        while (!done())
            pass(64);
    }

    std::vector<std::vector<TokenId>> ids; // of each row, so far
    std::vector<std::optional<RowOutcome>> ends;
    std::uint32_t passes = 0;
    std::size_t durations = 0;

private:
    Backend& m_backend;
    Plan m_plan;
};

} // namespace batchscope::tests
