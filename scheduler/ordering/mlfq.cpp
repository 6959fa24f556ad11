// SPDX-License-Identifier: GPL-3.0-or-later
// Skip-join multi-level feedback queue (FastServe, arXiv 2305.05920): nothing is predicted.
#include "scheduler/ordering/mlfq.h"

#include "scheduler/ordering/ageing.h"
#include "scheduler/ordering/key_heap.h"
#include "scheduler/ordering/ordering.h"
#include "scheduler/parts/knobs.h"

#include <algorithm>
#include <vector>

namespace batchscope {
namespace {

struct MlfqRules
{
    int levels = 4;
    int quantum = 32;                  // tokens at the first level; each level has twice the one before it
    int prompt_tokens_per_token = 256; // what a prompt costs
    std::optional<Nanos> promote_after_ns;

    std::int64_t quantumOf(int level) const { return static_cast<std::int64_t>(quantum) << level; }
};

class Mlfq final : public Ordering
{
public:
    explicit Mlfq(const MlfqRules& rules) : m_rules(rules) {}
    double key(const Standing& standing, Nanos) const override { return levelOf(standing); }
    bool preempts() const override { return true; }
    std::unique_ptr<WaitingOrder> makeOrder() override { return std::make_unique<Levels>(*this); }
    bool followsService() const override { return true; }
    std::optional<int> passesUntilWorse(const Standing& standing) const override
    {
        const int level = levelOf(standing);
        if (level + 1 >= m_rules.levels) return std::nullopt;
        return static_cast<int>(m_rules.quantumOf(level) - stateOf(standing).used);
    }
    void served(const Standing& standing, int, int generated_tokens) override
    {
        State& state = at(standing);
        state.used += generated_tokens;
        if (state.used < m_rules.quantumOf(state.level) || state.level + 1 >= m_rules.levels) return;
        ++state.level;
        state.used = 0;
    }

private:
    struct State
    {
        int level = -1;        // it has not been seen
        std::int64_t used = 0; // of the level's quantum
    };

    // The waiting ones: by level, and those that have waited too long at the first level again.
    class Levels final : public WaitingOrder
    {
    public:
        explicit Levels(Mlfq& mlfq) : m_mlfq(mlfq) {}
        void enter(const Standing& standing, Nanos now_ns) override
        {
            const int level = m_mlfq.at(standing).level;
            m_heap.enter({static_cast<double>(level), standing.arrival_ns, standing.request});
            if (level > 0 && m_mlfq.m_rules.promote_after_ns)
                m_due.enter({toSeconds(now_ns + *m_mlfq.m_rules.promote_after_ns), standing.arrival_ns,
                             standing.request});
        }
        void leave(RequestIndex request) override
        {
            m_heap.leave(request);
            m_due.leave(request);
        }
        std::optional<OrderKey> first(Nanos now_ns) override
        {
            for (auto due = m_due.first(); due && due->key <= toSeconds(now_ns); due = m_due.first()) {
                m_due.leave(due->request);
                m_mlfq.m_states[due->request] = {0, 0};
                m_heap.enter({0.0, due->arrival_ns, due->request});
            }
            return m_heap.first();
        }

    private:
        Mlfq& m_mlfq;
        KeyHeap m_heap, m_due;
    };

    // The first level whose quantum holds what reading the prompt costs.
    int firstLevel(const Standing& standing) const
    {
        const int cost = standing.prompt_tokens / m_rules.prompt_tokens_per_token;
        int level = 0;
        while (level + 1 < m_rules.levels && m_rules.quantumOf(level) < cost)
            ++level;
        return level;
    }
    State stateOf(const Standing& standing) const
    {
        return standing.request < m_states.size() ? m_states[standing.request] : State{};
    }
    int levelOf(const Standing& standing) const
    {
        const State state = stateOf(standing);
        return state.level < 0 ? firstLevel(standing) : state.level;
    }
    State& at(const Standing& standing)
    {
        if (standing.request >= m_states.size())
            m_states.resize(std::max<std::size_t>(standing.request + std::size_t{1}, 2 * m_states.size()));
        State& state = m_states[standing.request];
        if (state.level < 0) state.level = firstLevel(standing);
        return state;
    }

    MlfqRules m_rules;
    std::vector<State> m_states; // by request
};

PartDescriptor describeMlfq()
{
    PartDescriptor part;
    part.kind = PartKind::Ordering;
    part.type = "mlfq";
    part.title = "Multi-level feedback queue";
    part.help =
        "Nothing is predicted: a request starts at the level that fits its prompt (skip-join), falls a level "
        "when it has used its quantum, and comes back to the first after a long wait. With preemption in "
        "continuous batching a higher level takes a lower one's place.";
    part.params = {
        integerKnob({"levels", "Levels", "", "How many queues there are.", "4: quanta of 32 to 256 tokens"},
                    4, 2, 16),
        integerKnob(
            {"quantum", "Quantum", "tokens",
             "Output tokens at the first level before a request falls to the next, whose quantum is twice as "
             "large.",
             "32: short answers end within the first level"},
            32, 1, 65'536),
        integerKnob({"prompt_tokens_per_token", "Prompt tokens per output token", "tokens",
                     "Prompt tokens that cost as much as one output token, to choose the first level.",
                     "256: about what a decode pass of a 7B model on an A100 costs"},
                    256, 1, 65'536),
        nullableRealKnob(
            {"promote_after_s", "Promote after", "s",
             "A request that has waited so long at a lower level goes to the first. Null: never.",
             "null: no promotion"},
            0.001, 1e6)};
    for (ParamDescriptor& knob : ageingKnobs())
        part.params.push_back(std::move(knob));
    return part;
}

} // namespace

void registerMlfq(Registry& registry)
{
    registry.addOrdering(
        describeMlfq(), [](const PartSpec& spec, const PartDescriptor& own) -> std::unique_ptr<Ordering> {
            MlfqRules rules;
            rules.levels = static_cast<int>(integerParam(spec, own, "levels"));
            rules.quantum = static_cast<int>(integerParam(spec, own, "quantum"));
            rules.prompt_tokens_per_token =
                static_cast<int>(integerParam(spec, own, "prompt_tokens_per_token"));
            if (!isNullParam(spec, own, "promote_after_s"))
                rules.promote_after_ns = static_cast<Nanos>(realParam(spec, own, "promote_after_s") * 1e9);
            return std::make_unique<Mlfq>(rules);
        });
}

} // namespace batchscope
