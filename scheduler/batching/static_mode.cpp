// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/batching/static_mode.h"

#include "scheduler/batching/batching_mode.h"
#include "scheduler/batching/formation.h"
#include "scheduler/batching/shared_knobs.h"
#include "scheduler/loop/batch_runner.h"
#include "scheduler/loop/loop_core.h"
#include "scheduler/parts/compat.h"

#include <algorithm>

namespace batchscope {
namespace {

class StaticMode final : public BatchingMode
{
public:
    StaticMode(int rows, Nanos window_ns, bool waits_in_vain)
        : m_formation{static_cast<std::size_t>(rows), window_ns, waits_in_vain}
    {}

    std::uint32_t slots() const override { return static_cast<std::uint32_t>(m_formation.wanted); }
    BatchNeed heaviest(const WorkExtent& extent) const override
    {
        return {static_cast<int>(std::min(m_formation.wanted, extent.requests)), extent.cap, 0,
                "batching.rows"};
    }
    bool predictsOnEntry() const override { return true; }
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
    void serve(LoopCore& core) override
    {
        core.checkpoint();
        BatchSpec spec;
        spec.limit_steps = core.extent().cap;
        spec.rows = core.takeFirst(m_formation.wanted);
        spec.runner_up = core.firstWaiting();
        runBatch(core, spec);
    }

private:
    Formation m_formation;
};

PartDescriptor describeStatic()
{
    PartDescriptor part;
    part.kind = PartKind::Batching;
    part.type = "static";
    part.title = "Static batches";
    part.help =
        "The first rows of the queue form a batch that runs until its last row ends; rows that end early are "
        "padding until then. With a window: what SSJF's paper and Triton call dynamic batching.";
    part.params = {rowsKnob(), windowKnob(), deliveryKnob()};
    return part;
}

} // namespace

void registerOneByOne(Registry& registry)
{
    PartDescriptor part;
    part.kind = PartKind::Batching;
    part.type = "none";
    part.title = "One at a time";
    part.help = "No batching: each request has the server to itself. No padding, and the longest queue.";
    registry.addBatching(std::move(part),
                         [](const Strategy&, const Registry&) -> std::unique_ptr<BatchingMode> {
                             return std::make_unique<StaticMode>(1, 0, false);
                         });
}

void registerStatic(Registry& registry)
{
    registry.addBatching(
        describeStatic(), [](const Strategy& strategy, const Registry&) -> std::unique_ptr<BatchingMode> {
            const PartDescriptor part = describeStatic();
            const auto rows = static_cast<int>(integerParam(strategy.batching, part, "rows"));
            return std::make_unique<StaticMode>(rows, windowOf(strategy.batching, part),
                                                repeatsQuirk(strategy, "J-7"));
        });
}

} // namespace batchscope
