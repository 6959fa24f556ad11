// SPDX-License-Identifier: GPL-3.0-or-later
// Continuous batching: the standing batch that rows join and leave at every pass (scheduling.md, "Batching
// modes", "KV admission", "Preemption").
#pragma once

#include "scheduler/backend.h"
#include "scheduler/event.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <vector>

namespace batchscope {

class LoopCore;

enum class Preemption { None, Recompute, KeepKv };

struct ContinuousRules
{
    std::uint32_t slots = 16;
    std::optional<int>
        token_budget; // tokens of a pass: one for each row that decodes, and prompt tokens read
    bool chunked_prefill = false;
    Preemption preemption = Preemption::None;
    int most_evictions = 4;       // of a request; then it is given all it may ever need and stays
    bool demotes = false;         // correction demote
    bool reforms_at_ends = false; // compat J-9: who waits joins only when a row has ended, or none runs
    bool waits_in_vain = false;   // compat J-7: forming a batch that is not full waits for others first
};

class ContinuousBatch
{
public:
    explicit ContinuousBatch(const ContinuousRules& rules);

    bool isEmpty() const { return m_rows.empty(); }
    // J-7: until when the next decision is put off for others to arrive; absent: it need not wait.
    std::optional<Nanos> putOffUntil(const LoopCore& core) const;
    // One decision: who leaves for a better one, who joins; then passes until something can be decided again.
    void serve(LoopCore& core);
    void closeEarly(LoopCore& core, RowEnd cause);

private:
    struct Row
    {
        RowStart start;
        SlotHandle handle = 0;
        int unread = 0;           // tokens of its prompt (recomputed: and of its answer) still to be read
        int kv_tokens = 0;        // counted against the budget
        int yielded = 0;          // passes that gave a token or the end of sequence, earlier stays included
        bool is_reserved = false; // all that it may ever need is counted
        bool was_demoted = false;
        bool isReading() const { return unread > 0; }
    };

    void learn(LoopCore& core);
    void demoteOverrunners(LoopCore& core);
    void admit(LoopCore& core);
    bool makeRoom(LoopCore& core, RequestIndex candidate, Nanos at_ns);
    bool fitsPass(const LoopCore& core, RequestIndex candidate) const;
    bool fitsKv(const LoopCore& core, RequestIndex candidate) const;
    bool mayEvict(LoopCore& core) const;
    bool evictFor(LoopCore& core, RequestIndex candidate, Nanos at_ns);
    void evictUntilNextPassFits(LoopCore& core);
    std::optional<std::size_t> worstEvictable(LoopCore& core) const;
    void evict(LoopCore& core, std::size_t row, std::optional<RequestIndex> in_favour_of, Nanos at_ns);
    Row seat(LoopCore& core, RequestIndex request, Nanos at_ns);
    void reserveOrCount(const LoopCore& core, Row& row) const;
    int tokensToRead(const LoopCore& core, RequestIndex request) const;
    int mostTokens(const LoopCore& core, RequestIndex request) const;

    std::uint32_t mostSteps(LoopCore& core) const;
    Nanos notBeyond(LoopCore& core, Nanos start_ns) const;
    void plan();
    void runSpan(LoopCore& core);
    void advance(LoopCore& core, const PassResult& result);
    void endRows(LoopCore& core, std::vector<RowOutcome>& ended);
    void closeIfEmpty(LoopCore& core);
    std::uint32_t takeSlot();

    ContinuousRules m_rules;
    std::vector<Row> m_rows; // in the order they joined
    Plan m_plan;
    std::vector<PromptRead> m_reads;                // of the plan
    std::optional<std::int64_t> m_kv_budget_tokens; // absent: no bound
    bool m_follows_service = false;                 // the ordering does
    bool m_may_form = true; // J-9, J-7: no row runs, or one has ended since the last forming
    Nanos m_may_form_since_ns = 0;
    std::optional<BatchIndex> m_batch;
    std::uint32_t m_steps = 0;
    std::int64_t m_kv_tokens = 0; // of all rows
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> m_free_slots;
};

} // namespace batchscope
