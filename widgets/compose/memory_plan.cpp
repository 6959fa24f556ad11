// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compose/memory_plan.h"

#include "scheduler/error.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

namespace batchscope::widgets {
namespace {

struct Batch
{
    std::int64_t rows = 1, tokens = 0;
    std::int64_t cells() const { return rows * tokens; }
};

std::int64_t integerOr(const PartSpec& spec, const PartDescriptor* part, const char* name,
                       std::int64_t otherwise)
{
    const bool has = part && std::any_of(part->params.begin(), part->params.end(),
                                         [name](const ParamDescriptor& p) { return p.name == name; });
    return has ? integerParam(spec, *part, name) : otherwise;
}

std::string textOr(const PartSpec& spec, const PartDescriptor* part, const char* name)
{
    const bool has = part && std::any_of(part->params.begin(), part->params.end(),
                                         [name](const ParamDescriptor& p) { return p.name == name; });
    return has ? textParam(spec, *part, name) : std::string();
}

// The batch of this strategy that keeps the most tokens (scheduling.md, "Bins and VBS").
Batch largestBatch(const Strategy& strategy, const Registry& registry, int longest_prompt)
{
    const PartDescriptor* part = registry.find(PartKind::Batching, strategy.batching.type);
    const std::int64_t cap = strategy.limits.max_new_tokens;
    Batch largest{integerOr(strategy.batching, part, "rows", 1), longest_prompt + cap};
    const std::string vbs = textOr(strategy.batching, part, "vbs");
    if (vbs == "memory")
        largest.rows = std::max(largest.rows, integerOr(strategy.batching, part, "max_rows", 64));
    if (vbs == "table") {
        constexpr std::array<std::pair<int, int>, 4> table{{{50, 256}, {100, 128}, {150, 64}, {200, 32}}};
        for (const auto& [bin, rows] : table)
            if (const Batch batch{rows, longest_prompt + std::min<std::int64_t>(bin, cap)};
                batch.cells() > largest.cells())
                largest = batch;
    }
    return largest;
}

// Prompts that wait at once with their prefill kept: of a group, or of all where entering the queue predicts.
std::int64_t heldTokens(const Strategy& strategy, const Registry& registry, std::vector<int> prompts)
{
    const PartDescriptor* predictor = registry.find(PartKind::Predictor, strategy.predictor.type);
    if (!predictor || !predictor->model_bound) return 0;
    const PartDescriptor* part = registry.find(PartKind::Batching, strategy.batching.type);
    const auto all = static_cast<std::int64_t>(prompts.size());
    const std::int64_t waiting = std::min(all, integerOr(strategy.batching, part, "group", all));
    const auto end = prompts.begin() + static_cast<std::ptrdiff_t>(waiting);
    std::partial_sort(prompts.begin(), end, prompts.end(), std::greater<>());
    return std::accumulate(prompts.begin(), end, std::int64_t{0});
}

} // namespace

MemoryPlan planMemory(const sessions::SessionDocument& document, const Registry& registry,
                      const WorkloadFacts& workload, const ModelFacts& model)
{
    MemoryPlan plan;
    if (!model.known || !model.error.isEmpty() || workload.prompt_tokens.empty()) return plan;
    const int longest = *std::max_element(workload.prompt_tokens.begin(), workload.prompt_tokens.end());
    Batch largest{0, 0};
    std::int64_t held_tokens = 0;
    for (const Strategy& strategy : document.strategies) {
        try {
            const Batch batch = largestBatch(strategy, registry, longest);
            if (batch.cells() > largest.cells()) largest = batch;
            held_tokens = std::max(held_tokens, heldTokens(strategy, registry, workload.prompt_tokens));
        } catch (const SchedulerError&) { // a value out of range: its card says so
            continue;
        }
    }
    if (model.context > 0) largest.tokens = std::min<std::int64_t>(largest.tokens, model.context);
    plan.rows = largest.rows;
    plan.tokens = largest.tokens;
    plan.weights_bytes = model.weight_bytes;
    plan.kv_bytes = largest.cells() * model.kv_bytes_per_token;
    plan.free_bytes = model.free_bytes;
    const std::int64_t room = std::max<std::int64_t>(0, plan.free_bytes - plan.weights_bytes - plan.kv_bytes);
    plan.held_bytes = std::min(room, held_tokens * model.kv_bytes_per_token);
    plan.known = largest.rows > 0;
    return plan;
}

} // namespace batchscope::widgets
