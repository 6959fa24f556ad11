// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/batching/continuous_mode.h"

#include "scheduler/batching/batching_mode.h"
#include "scheduler/error.h"
#include "scheduler/loop/continuous_batch.h"
#include "scheduler/loop/loop_core.h"
#include "scheduler/parts/compat.h"
#include "scheduler/parts/knobs.h"

#include <fmt/core.h>

namespace batchscope {
namespace {

class ContinuousMode final : public BatchingMode
{
public:
    explicit ContinuousMode(const ContinuousRules& rules) : m_rules(rules), m_batch(rules) {}

    std::uint32_t slots() const override { return m_rules.slots; }
    // One row alone must be able to run to its end; how many run beside it follows from admission.
    BatchNeed heaviest(const WorkExtent& extent) const override
    {
        return {1, extent.cap, 0, "limits.max_new_tokens"};
    }
    bool predictsOnEntry() const override { return true; }
    void checkAgainst(const std::string& strategy, const WorkExtent& extent,
                      const Capabilities& capabilities) const override;
    bool ready(const LoopCore& core) const override
    {
        if (!isBusy() && core.waiting().empty()) return false;
        const auto until = m_batch.putOffUntil(core);
        return !until || core.now() >= *until;
    }
    bool isBusy() const override { return !m_batch.isEmpty(); }
    Nanos deadline(const LoopCore& core) const override
    {
        return m_batch.putOffUntil(core).value_or(core.now());
    }
    void serve(LoopCore& core) override { m_batch.serve(core); }
    void closeEarly(LoopCore& core, RowEnd cause) override { m_batch.closeEarly(core, cause); }

private:
    ContinuousRules m_rules;
    ContinuousBatch m_batch;
};

void ContinuousMode::checkAgainst(const std::string& strategy, const WorkExtent& extent,
                                  const Capabilities& capabilities) const
{
    if (!capabilities.continuous)
        throw SchedulerError(fmt::format("strategy '{}': this backend runs no continuous batches: choose "
                                         "batching static or grouped",
                                         strategy));
    if (!m_rules.token_budget || m_rules.chunked_prefill) return;
    const bool reads_again = m_rules.preemption == Preemption::Recompute;
    const int longest = extent.longest_prompt + (reads_again ? extent.cap : 0);
    if (longest > *m_rules.token_budget)
        throw SchedulerError(fmt::format(
            "strategy '{}': a pass may take {} tokens, and up to {} are read at once ({} of the longest "
            "prompt{}): "
            "raise batching.token_budget to at least {}, or set batching.chunked_prefill to true",
            strategy, *m_rules.token_budget, longest, extent.longest_prompt,
            reads_again ? fmt::format(", {} of an answer that is recomputed", extent.cap) : std::string(),
            longest));
}

PartDescriptor describeContinuous()
{
    PartDescriptor part;
    part.kind = PartKind::Batching;
    part.type = "continuous";
    part.title = "Continuous batching";
    part.help =
        "At every pass ended rows leave and waiting requests join by ordering, while slots, token budget and "
        "KV cache allow (Orca's iteration-level scheduling; vLLM). No padding; what is left is idle slots.";
    part.params.push_back(integerKnob({"slots", "Slots", "requests", "Requests that run at a time.",
                                       "16: as many as the rows of a static batch it is compared with"},
                                      16, 1, 4096));
    part.params.push_back(nullableIntegerKnob({"token_budget", "Token budget", "tokens",
                                               "Tokens of a pass at most: one for each row that decodes, and "
                                               "the prompt tokens read. Null: no bound.",
                                               "null: prompts are read as they come"},
                                              1, 1 << 20));
    part.params.push_back(booleanKnob(
        {"chunked_prefill", "Chunked prefill", "",
         "Rows that decode go first in every pass; what the token budget leaves reads one prompt, in chunks.",
         "false: a prompt is read whole in one pass, as in Orca"},
        false));
    part.params.push_back(choiceKnob(
        {"preemption", "Preemption", "",
         "none: the KV cache of a request's worst case is reserved when it joins. recompute: the cache in "
         "use "
         "counts, and the worst key loses its cache when it runs out (and its place to a strictly better key "
         "where the ordering says so), to be read again later. keep-kv: its cache is kept aside instead.",
         "none: nothing is ever computed twice"},
        {"none", "recompute", "keep-kv"}));
    part.params.push_back(integerKnob(
        {"most_evictions", "Most evictions", "times",
         "How often a request may be preempted; afterwards its worst case is reserved and it stays.",
         "4: bounds what one request can lose"},
        4, 1, 1000));
    return part;
}

std::unique_ptr<BatchingMode> makeContinuous(const Strategy& strategy, const Registry&)
{
    const PartDescriptor part = describeContinuous();
    const PartSpec& spec = strategy.batching;
    ContinuousRules rules;
    rules.slots = static_cast<std::uint32_t>(integerParam(spec, part, "slots"));
    if (!isNullParam(spec, part, "token_budget"))
        rules.token_budget = static_cast<int>(integerParam(spec, part, "token_budget"));
    rules.chunked_prefill = booleanParam(spec, part, "chunked_prefill");
    const std::string preemption = textParam(spec, part, "preemption");
    rules.preemption = preemption == "recompute" ? Preemption::Recompute
                       : preemption == "keep-kv" ? Preemption::KeepKv
                                                 : Preemption::None;
    rules.most_evictions = static_cast<int>(integerParam(spec, part, "most_evictions"));
    rules.demotes = strategy.correction.type == "demote";
    rules.reforms_at_ends = repeatsQuirk(strategy, "J-9");
    rules.waits_in_vain = repeatsQuirk(strategy, "J-7");
    return std::make_unique<ContinuousMode>(rules);
}

} // namespace

void registerContinuous(Registry& registry)
{
    registry.addBatching(describeContinuous(), makeContinuous);
}

} // namespace batchscope
