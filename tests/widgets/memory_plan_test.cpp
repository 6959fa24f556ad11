// SPDX-License-Identifier: GPL-3.0-or-later
// What Compose says a session will need before anything is loaded.
#include "widgets/compose/memory_plan.h"

#include "tests/support/test_main.h"
#include "tests/support/workloads.h"

using namespace batchscope;
using namespace batchscope::tests;
using namespace batchscope::widgets;

namespace {

Registry registryWithModelBound()
{
    Registry registry = Registry::withBuiltinParts();
    PartDescriptor part;
    part.kind = PartKind::Predictor;
    part.type = "reads-prompts";
    part.model_bound = true;
    registry.add(part);
    return registry;
}

MemoryPlan planOf(const Strategy& strategy, std::int64_t free_bytes)
{
    sessions::SessionDocument document;
    document.strategies = {strategy};
    WorkloadFacts workload;
    workload.known = true;
    workload.prompt_tokens = {10, 40, 20, 30};
    ModelFacts model;
    model.known = true;
    model.weight_bytes = 1000;
    model.kv_bytes_per_token = 2;
    model.free_bytes = free_bytes;
    return planMemory(document, registryWithModelBound(), workload, model);
}

} // namespace

class MemoryPlanTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theHeaviestBatchIsPlanned()
    {
        const MemoryPlan plan =
            planOf(strategyOf("s", staticRows(3), "fcfs", {"none", {}}, "none", 60), 10'000);
        QCOMPARE(plan.kv_bytes, std::int64_t{3 * (40 + 60) * 2});
        QCOMPARE(plan.held_bytes, std::int64_t{0});
        QVERIFY(plan.fits());
    }

    // A group of three keeps its three longest prompts; a queue that predicts on entry keeps all four.
    void prefillsThatAPredictorLeavesAreCounted()
    {
        const auto held = [](PartSpec batching, std::int64_t free_bytes) {
            return planOf(strategyOf("s", std::move(batching), "sjf", {"reads-prompts", {}}, "none", 60),
                          free_bytes)
                .held_bytes;
        };
        QCOMPARE(held(groupedOf(3, 2, 50), 10'000), std::int64_t{(40 + 30 + 20) * 2});
        QCOMPARE(held(staticRows(2), 10'000), std::int64_t{100 * 2});
        // 1,000 of weights and 2 * (40 + 60) * 2 of the batch leave 100 bytes; then none.
        QCOMPARE(held(staticRows(2), 1500), std::int64_t{100});
        QCOMPARE(held(staticRows(2), 1400), std::int64_t{0});
    }
};

BATCHSCOPE_TEST(MemoryPlanTest)
#include "memory_plan_test.moc"
