// SPDX-License-Identifier: GPL-3.0-or-later
// What mixed passes, chunks, preemption and prediction cost, worked by hand on small runs: every coefficient
// is a different power of ten, so that a sum shows what was charged.
#include "engine/simulated/charged_predictor.h"
#include "scheduler/predictors/oracle.h"
#include "scheduler/registry.h"
#include "tests/support/simulated_run.h"
#include "tests/support/test_main.h"
#include "tests/support/workloads.h"

using namespace batchscope;
using namespace batchscope::engine;
using namespace batchscope::tests;

namespace {

constexpr Picos k_ms = 1'000'000'000;

// Durations of the passes of a run, in order, in ms.
std::vector<double> passesMs(const RecordedRun& run)
{
    std::vector<double> passes;
    for (const Steps& span : run.all<Steps>())
        for (std::uint32_t i = 0; i < span.count; ++i)
            passes.push_back(static_cast<double>(span.first_ps + i * span.growth_ps) / k_ms);
    return passes;
}

Strategy continuousFcfs(std::map<std::string, ParamValue> others = {})
{
    Strategy strategy = strategyOf("c", continuousOf(2, std::move(others)));
    strategy.limits.max_new_tokens = 100;
    return strategy;
}

} // namespace

class SimulatedCostsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // One row decodes while another reads: the pass takes e once and the disturbance once.
    void aRowThatDecodesBesideAReaderIsDisturbed()
    {
        CostModel model;
        model.pass_ps = k_ms;
        model.reading_pass_ps = 100 * k_ms;
        model.mixed_row_ps = 1000 * k_ms;
        const Workload workload = workloadOf({{3, 5, 0, std::nullopt}, {1, 5, 150'000'000, std::nullopt}});
        // Pass 1 reads the first alone; the second arrives in pass 2 .. and is read beside a row that
        // decodes.
        const RecordedRun run = runSimulated(workload, continuousFcfs(), model);
        QCOMPARE(passesMs(run), (std::vector<double>{101, 1, 1, 1, 101, 1}));
        const Workload together = workloadOf({{3, 5, 0, std::nullopt}, {1, 5, 101'500'000, std::nullopt}});
        QCOMPARE(passesMs(runSimulated(together, continuousFcfs(), model)),
                 (std::vector<double>{101, 1, 1101, 1}));
    }

    // A prompt of 5 in chunks of 2: 2 + 2 + 1 tokens, and each chunk attends to what was read before it:
    // pairs 1 + 2, 3 + 4, 5; contexts 2, 4, 5.
    void chunksPayTheirPassesTheirContextAndTheirPairs()
    {
        CostModel model;
        model.pass_ps = 1000 * k_ms;
        model.context_token_ps = 100 * k_ms;
        model.attended_token_ps = k_ms;
        const Workload workload = workloadOf({{1, 5, 0, std::nullopt}});
        const Strategy chunked =
            continuousFcfs({{"token_budget", std::int64_t{2}}, {"chunked_prefill", true}});
        QCOMPARE(passesMs(runSimulated(workload, chunked, model)),
                 (std::vector<double>{1203, 1407, 1505, 1606}));
        QCOMPARE(passesMs(runSimulated(workload, continuousFcfs(), model)),
                 (std::vector<double>{1515, 1606}));
    }

    // srpt: a short request takes the only slot of a long one. keep-kv pays the cache's tokens there and
    // back; recompute reads prompt and answer again. Nobody else pays.
    void preemptionCostsTheSwapBothWaysOrASecondPrefill()
    {
        CostModel model;
        model.pass_ps = k_ms;
        model.prefill_token_ps = 10 * k_ms;
        model.swap_token_ps = 1000 * k_ms;
        model.kv_bytes_per_token = 1;
        // The long one reads 4 tokens in 41 ms and decodes; the short one arrives in its second pass.
        const Workload workload = workloadOf({{9, 4, 0, std::nullopt}, {1, 4, 41'500'000, std::nullopt}});
        const auto preempting = [](const char* how) {
            Strategy strategy =
                strategyOf("p", continuousOf(1, {{"preemption", std::string(how)}}), "srpt", {"oracle", {}});
            strategy.ordering.params["share"] = 1.0;
            strategy.limits.max_new_tokens = 100;
            return strategy;
        };
        // Two passes of the long one left 4 + 1 tokens in its cache.
        const RecordedRun kept = runSimulated(workload, preempting("keep-kv"), model);
        QCOMPARE(kept.all<Preempted>().size(), std::size_t{1});
        QCOMPARE(passesMs(kept), (std::vector<double>{41, 1, 5041, 1, 5001, 1, 1, 1, 1, 1, 1, 1}));
        const RecordedRun again = runSimulated(workload, preempting("recompute"), model);
        QCOMPARE(again.all<Preempted>().size(), std::size_t{1});
        QCOMPARE(passesMs(again), (std::vector<double>{41, 1, 41, 1, 61, 1, 1, 1, 1, 1, 1, 1}));
    }

    // 7 ms a call and 2 ms a request: three that arrive together wait 13 ms, whoever comes alone 9 ms.
    void aPredictionIsChargedToTheLoop()
    {
        CostModel model = plainModel();
        model.prediction_call_ns = 7'000'000;
        model.prediction_request_ns = 2'000'000;
        const Workload workload = workloadOf({{2, 1, 0, std::nullopt},
                                              {2, 1, 0, std::nullopt},
                                              {2, 1, 0, std::nullopt},
                                              {2, 1, 1'000'000'000, std::nullopt}});
        const Strategy strategy = strategyOf("sjf", staticRows(4), "sjf", {"oracle", {}});
        VirtualClock clock;
        SimulatedBackend backend(model, clock);
        const Registry registry = Registry::withBuiltinParts();
        const auto predictor =
            chargePrediction(registry.makePredictor(strategy.predictor, {&workload, &strategy, true}), model);
        const RecordedRun run = runOn(backend, clock, workload, strategy, predictor.get());
        QCOMPARE(run.times<Predicted>(),
                 (std::vector<Nanos>{13'000'000, 13'000'000, 13'000'000, 1'009'000'000}));
        Nanos shares = 0;
        for (const Predicted& predicted : run.all<Predicted>())
            shares += predicted.elapsed_ns;
        QCOMPARE(shares, Nanos{22'000'000});
    }

    // Spans, not tokens: a hundred times the answer is the same number of events.
    void aLongAnswerLogsAsManyEventsAsAShortOne()
    {
        const auto events = [](int tokens, const Strategy& strategy, const CostModel& model) {
            std::vector<Job> jobs;
            for (int i = 0; i < 200; ++i)
                jobs.push_back({tokens + i % 7, 5, 0, std::nullopt});
            Strategy capped = strategy;
            capped.limits.max_new_tokens = 5000;
            return runSimulated(workloadOf(jobs), capped, model).log.size();
        };
        CostModel growing = plainModel();
        growing.context_token_ps = 1000;
        const Strategy in_batches = strategyOf("s", staticRows(8));
        QCOMPARE(events(10, in_batches, growing), events(1000, in_batches, growing));
        // In continuous mode rows of other lengths end beside each other: never more than a span a row's end.
        const std::size_t few = events(10, continuousFcfs(), growing);
        const std::size_t many = events(1000, continuousFcfs(), growing);
        QVERIFY2(many <= few + few / 4, qPrintable(QString("%1 events, then %2").arg(few).arg(many)));
        // A roofline's bend splits a span once.
        CostModel bent;
        bent.kv_bytes_per_token = 1;
        bent.roofline = RooflineTerms{{0, 0, 0, 0, 7000}, {20'000'000, 0, 0, 3000, 0}, true};
        const std::size_t straight = events(10, in_batches, bent);
        QVERIFY(events(4000, in_batches, bent) <= straight + 25); // 25 batches
    }
};

BATCHSCOPE_TEST(SimulatedCostsTest)
#include "simulated_costs_test.moc"
