// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/batching/grouped_mode.h"

#include "scheduler/batching/batching_mode.h"
#include "scheduler/batching/formation.h"
#include "scheduler/batching/group_rules.h"
#include "scheduler/batching/shared_knobs.h"
#include "scheduler/loop/batch_runner.h"
#include "scheduler/loop/loop_core.h"
#include "scheduler/parts/compat.h"
#include "scheduler/parts/knobs.h"

#include <algorithm>
#include <unordered_map>

namespace batchscope {
namespace {

class GroupedMode final : public BatchingMode
{
public:
    GroupedMode(const GroupRules& rules, Nanos window_ns)
        : m_rules(rules), m_formation{rules.group, window_ns}
    {}

    std::uint32_t slots() const override { return m_rules.slots(); }
    BatchNeed heaviest(const WorkExtent& extent) const override { return m_rules.heaviest(extent); }
    bool predictsOnEntry() const override { return false; } // the queue is then in order of arrival
    bool ready(const LoopCore& core) const override
    {
        const WaitingQueue& waiting = core.waiting();
        return !waiting.empty() &&
               m_formation.ready(waiting.size(), waiting.oldestArrivalNs(), core.moreCanArrive(), core.now());
    }
    Nanos deadline(const LoopCore& core) const override
    {
        return m_formation.deadline(core.waiting().oldestArrivalNs());
    }
    void serve(LoopCore& core) override;

private:
    MemoryPacking packing(const LoopCore& core) const;
    void finish(LoopCore& core, const std::vector<BinnedRequest>& ordered, std::vector<RequestIndex> stopped);
    void finishAs(LoopCore& core, BatchKind kind, const std::vector<BinnedRequest>& members);
    void notePositions(const std::vector<RequestIndex>& members, const std::vector<MicroBatch>& batches);
    void runAll(LoopCore& core, const std::vector<MicroBatch>& batches, BatchKind kind,
                std::vector<RequestIndex>& stopped);

    GroupRules m_rules;
    Formation m_formation;
    GroupIndex m_group = 0;
    // Of the group in hand:
    int m_longest_prompt = 0;
    std::vector<RequestIndex> m_members;                       // by arrival
    std::unordered_map<RequestIndex, std::size_t> m_positions; // in the order in which they were served
};

// What held prefills use is taken off the budget first.
MemoryPacking GroupedMode::packing(const LoopCore& core) const
{
    const KvBudget& kv = core.extent().kv;
    MemoryPacking packing{m_rules.max_rows, kv.bytes, m_rules.reserve_bytes, kv.bytes_per_token,
                          m_longest_prompt};
    if (packing.kv_bytes) *packing.kv_bytes -= core.heldBytes();
    return packing;
}

void GroupedMode::serve(LoopCore& core)
{
    core.checkpoint();
    const int cap = core.extent().cap;
    const std::vector<RequestIndex> members = core.takeFirst(m_rules.group);
    m_group = core.nextGroup();
    core.predict(members);
    core.absorb(); // the call took time
    m_longest_prompt = 0;
    std::vector<BinnedRequest> ordered;
    for (const RequestIndex index : members) {
        Served& served = core.served(index);
        served.bin = m_rules.binOfPrediction(core.predictedOrCap(index), cap);
        ordered.push_back({served.bin, {served.key, served.arrival_ns, index}});
        m_longest_prompt = std::max(m_longest_prompt, core.request(index).prompt_tokens);
    }
    sortByBin(ordered);
    const std::vector<MicroBatch> batches = m_rules.cut(ordered, cap, packing(core));
    if (m_rules.mixes_prompts) notePositions(members, batches);
    std::vector<RequestIndex> stopped;
    runAll(core, batches, BatchKind::Micro, stopped);
    finish(core, ordered, std::move(stopped));
}

void GroupedMode::notePositions(const std::vector<RequestIndex>& members,
                                const std::vector<MicroBatch>& batches)
{
    m_members = members;
    m_positions.clear();
    for (const MicroBatch& batch : batches)
        for (const RequestIndex request : batch.rows)
            m_positions.emplace(request, m_positions.size());
}

// Those that the predicted limit stopped, ordered like any other, with the cap as limit: first those that go
// on, then those that are computed again.
void GroupedMode::finish(LoopCore& core, const std::vector<BinnedRequest>& ordered,
                         std::vector<RequestIndex> stopped)
{
    std::sort(stopped.begin(), stopped.end());
    std::vector<BinnedRequest> suspended, again;
    for (const BinnedRequest& member : ordered) {
        if (!std::binary_search(stopped.begin(), stopped.end(), member.order.request)) continue;
        (core.served(member.order.request).suspended ? suspended : again).push_back(member);
    }
    finishAs(core, BatchKind::Extend, suspended);
    finishAs(core, BatchKind::Recompute, again);
}

void GroupedMode::finishAs(LoopCore& core, BatchKind kind, const std::vector<BinnedRequest>& members)
{
    const int cap = core.extent().cap;
    std::vector<MicroBatch> batches = cutEvenly(members, m_rules.rowsOfRecomputation(cap, packing(core)));
    for (MicroBatch& batch : batches)
        batch.bin = m_rules.binOfPrediction(cap, cap);
    std::vector<RequestIndex> none;
    runAll(core, batches, kind, none);
}

void GroupedMode::runAll(LoopCore& core, const std::vector<MicroBatch>& batches, BatchKind kind,
                         std::vector<RequestIndex>& stopped)
{
    const int cap = core.extent().cap;
    const bool is_last = kind != BatchKind::Micro;
    for (std::size_t i = 0; i < batches.size(); ++i) {
        core.checkpoint();
        BatchSpec spec;
        spec.kind = kind;
        spec.group = m_group;
        spec.bin = batches[i].bin;
        spec.limit_steps = is_last ? cap : m_rules.limitOf(batches[i].bin, cap);
        spec.rows = batches[i].rows;
        spec.keeps_stopped = m_rules.extends;
        spec.passes_cap = m_rules.limit_is_bin && !is_last;
        spec.stops_at_cap = m_rules.recomputes_at_cap && !is_last;
        if (m_rules.mixes_prompts && kind == BatchKind::Recompute)
            for (const RequestIndex index : batches[i].rows)
                spec.answers_of.push_back(m_members[m_positions.at(index)]);
        if (i + 1 < batches.size()) spec.runner_up = batches[i + 1].rows.front();
        for (const RequestIndex index : runBatch(core, spec))
            stopped.push_back(index);
        core.absorb();
    }
}

PartDescriptor describeGrouped()
{
    PartDescriptor part;
    part.kind = PartKind::Batching;
    part.type = "grouped";
    part.title = "Sequence scheduling";
    part.help =
        "A group of waiting requests is predicted at once, sorted into bins of like length and run in "
        "micro-batches, so that short answers do not wait for long ones. VBS: short answers run in larger "
        "batches.";
    part.params.push_back(
        integerKnob({"group", "Group", "requests",
                     "Requests that are predicted and ordered together: those that arrived first.",
                     "256: the group size of sequence scheduling's published runs"},
                    256, 1, 65'536));
    part.params.push_back(rowsKnob());
    part.params.push_back(
        integerKnob({"bin_width", "Bin width", "tokens",
                     "Predictions are rounded up to a multiple of this; 1 sorts by the prediction "
                     "itself.",
                     "50: the bins of sequence scheduling"},
                    50, 1, 8192));
    part.params.push_back(
        choiceKnob({"vbs", "Variable batch size", "",
                    "off: every batch has rows; table: 256 rows up to 50 tokens, 128 up to 100, 64 up "
                    "to 150, 32 up to 200, else 16; memory: as many as the KV budget holds.",
                    "off: the same rows as the strategies it is compared with"},
                   {"off", "table", "memory"}));
    part.params.push_back(
        integerKnob({"max_rows", "Most rows", "requests", "VBS by memory: rows of a batch at most.",
                     "64: bounds what a pass needs beside the KV cache"},
                    64, 1, 4096));
    part.params.push_back(integerKnob({"reserve_bytes", "Reserve", "bytes",
                                       "VBS by memory: left free of the KV budget, e.g. for activations.",
                                       "0: the budget is net already"},
                                      0, 0, 1LL << 50));
    part.params.push_back(windowKnob());
    part.params.push_back(deliveryKnob());
    return part;
}

std::unique_ptr<BatchingMode> makeGrouped(const Strategy& strategy, const Registry&)
{
    const PartDescriptor part = describeGrouped();
    const PartSpec& spec = strategy.batching;
    GroupRules rules;
    rules.group = static_cast<std::size_t>(integerParam(spec, part, "group"));
    rules.rows = static_cast<int>(integerParam(spec, part, "rows"));
    rules.bin_width = static_cast<int>(integerParam(spec, part, "bin_width"));
    const std::string vbs = textParam(spec, part, "vbs");
    rules.vbs = vbs == "table" ? Vbs::Table : vbs == "memory" ? Vbs::Memory : Vbs::Off;
    rules.max_rows = static_cast<int>(integerParam(spec, part, "max_rows"));
    rules.reserve_bytes = integerParam(spec, part, "reserve_bytes");
    rules.extends = strategy.correction.type == "extend";
    rules.limits = rules.extends || strategy.correction.type == "fcr";
    if (strategy.correction.type == "fcr") {
        rules.recomputes_at_cap = repeatsQuirk(strategy, "S-5");
        rules.limit_is_bin = repeatsQuirk(strategy, "S-4");
        rules.mixes_prompts = repeatsQuirk(strategy, "S-1");
    }
    return std::make_unique<GroupedMode>(rules, windowOf(spec, part));
}

} // namespace

void registerGrouped(Registry& registry)
{
    registry.addBatching(describeGrouped(), makeGrouped);
}

} // namespace batchscope
