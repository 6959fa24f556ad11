// SPDX-License-Identifier: GPL-3.0-or-later
// Modes none and static: when a batch forms, who is in it, when predictions are charged.
#include "tests/support/event_text.h"
#include "tests/support/no_faults.h"
#include "tests/support/recorded_run.h"
#include "tests/support/test_main.h"
#include "tests/support/workloads.h"

namespace batchscope::tests {
namespace {

constexpr Nanos k_ms = 1'000'000;
using Batches = std::vector<std::vector<RequestIndex>>;

Workload arrivingAt(const std::vector<Nanos>& arrivals_ns, int output_tokens = 4)
{
    std::vector<Job> jobs;
    for (const Nanos at : arrivals_ns)
        jobs.push_back({output_tokens, 4, at, std::nullopt});
    return workloadOf(jobs);
}

PartSpec oracleTaking(double per_call_s)
{
    return {"oracle", {{"per_call_s", per_call_s}}};
}

} // namespace

class StaticBatchesTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void allAtOnceKeepsFileOrder()
    {
        Workload workload = workloadOfLengths({5, 1, 3, 2, 4});
        for (Request& request : workload.requests)
            request.id = std::to_string(9 - request.index); // never compared
        const RecordedRun run = runVirtually(workload, strategyOf("s", staticRows(2)));
        QCOMPARE(run.batches(), (Batches{{0, 1}, {2, 3}, {4}}));
    }
    void tiesGoByArrivalThenByIndex()
    {
        // One runs alone first; then keys 2, 2, 2 with arrivals 3, 1, 1 ms and the shorter one, which came
        // last.
        Workload workload = workloadOf({{9, 4, 0, 9},
                                        {2, 4, 3 * k_ms, 2},
                                        {2, 4, 1 * k_ms, 2},
                                        {2, 4, 1 * k_ms, 2},
                                        {1, 4, 4 * k_ms, 1}});
        const RecordedRun run =
            runVirtually(workload, strategyOf("s", staticRows(1), "sjf", {"recorded", {}}));
        QCOMPARE(run.batches(), (Batches{{0}, {4}, {2}, {3}, {1}}));
    }
    void sjfTakesTheLeastPredictedWork()
    {
        const Workload workload = workloadOf({{8, 4, 0, 8}, {3, 4, 0, 3}, {5, 40, 0, 5}, {6, 4, 0, 6}});
        Strategy strategy = strategyOf("s", staticRows(1), "sjf", {"recorded", {}});
        QCOMPARE(runVirtually(workload, strategy).batches(), (Batches{{1}, {2}, {3}, {0}}));
        strategy.ordering.params["prompt_token_cost"] = 0.5; // 10, 5, 25, 8
        QCOMPARE(runVirtually(workload, strategy).batches(), (Batches{{1}, {3}, {0}, {2}}));
    }
    void aPickSaysWhomItPassedOver()
    {
        const Workload workload = workloadOf({{8, 4, 0, 8}, {9, 4, 0, 9}, {2, 4, 0, 2}});
        const RecordedRun run =
            runVirtually(workload, strategyOf("s", staticRows(1), "sjf", {"recorded", {}}));
        const Picked first = run.all<Picked>().front();
        QCOMPARE(first.request, 2U);
        QVERIFY(first.rule == PickRule::Key);
        QCOMPARE(first.key, 2.0);
        QCOMPARE(first.passed_over, 2U);
        QCOMPARE(*first.first_passed, 0U);
        QCOMPARE(first.first_passed_key, 8.0);
        QCOMPARE(*first.runner_up, 0U);
        QCOMPARE(first.runner_up_key, 8.0);
        QCOMPARE(run.all<Picked>().back().passed_over, 0U);
        QVERIFY(run.all<Picked>().back().rule == PickRule::OnlyOne);
    }

    void aFullBatchDoesNotWaitForTheWindow()
    {
        const RecordedRun run =
            runVirtually(arrivingAt({0, 5 * k_ms, 900 * k_ms}), strategyOf("s", staticRows(2, 0.5)));
        QCOMPARE(run.batches(), (Batches{{0, 1}, {2}}));
        QCOMPARE(run.times<BatchFormed>(), (std::vector<Nanos>{5 * k_ms, 900 * k_ms}));
    }
    void theWindowCountsFromTheOldestArrival()
    {
        // r0 waits 20 ms; r1 comes within it, r2 after it. r2 then waits 20 ms though the server is free
        // at 34.
        const RecordedRun run = runVirtually(arrivingAt({0, 15 * k_ms, 30 * k_ms, 200 * k_ms}),
                                             strategyOf("s", staticRows(4, 0.02)));
        QCOMPARE(run.batches(), (Batches{{0, 1}, {2}, {3}}));
        QCOMPARE(run.times<BatchFormed>(), (std::vector<Nanos>{20 * k_ms, 50 * k_ms, 200 * k_ms}));
    }
    void withoutAWindowAFreeServerServesAtOnce()
    {
        const RecordedRun run =
            runVirtually(arrivingAt({0, 1 * k_ms, 2 * k_ms}), strategyOf("s", staticRows(4)));
        QCOMPARE(run.batches(), (Batches{{0}, {1, 2}}));
    }
    void nobodyWaitsWhenNothingCanArrive()
    {
        const RecordedRun run =
            runVirtually(arrivingAt({0, 1 * k_ms, 2 * k_ms}), strategyOf("s", staticRows(16, 3600)));
        QCOMPARE(run.times<BatchFormed>(), (std::vector<Nanos>{2 * k_ms}));
    }
    void theLastRequestAfterALongGapIsServed() // case S4
    {
        for (const PartSpec& batching :
             {staticRows(4), staticRows(4, 10), PartSpec{"none", {}}, groupedOf(4, 2, 50)}) {
            const RecordedRun one = runVirtually(arrivingAt({7 * k_ms}), strategyOf("s", batching));
            QCOMPARE(one.delivered().size(), 1U);
            const RecordedRun gap =
                runVirtually(arrivingAt({0, 1 * k_ms, 3'600'000 * k_ms}), strategyOf("s", batching));
            QCOMPARE(gap.delivered().size(), 3U);
            QVERIFY(gap.status == RunStatus::Completed);
            VERIFY_NO_FAULTS(validateLog(gap.log));
        }
    }
    void arrivalsDuringASpanAreTakenInAtItsEnd()
    {
        const RecordedRun run = runVirtually(arrivingAt({0, 3 * k_ms}), strategyOf("s", staticRows(1)));
        const std::vector<Arrived> arrived = run.all<Arrived>();
        QCOMPARE(arrived[1].arrival_ns, 3 * k_ms);
        QCOMPARE(run.times<Arrived>()[1], 10 * k_ms); // the reading pass takes 10 ms
    }
    void arrivalsOutOfFileOrderAreTakenInByTime()
    {
        const RecordedRun run = runVirtually(arrivingAt({50 * k_ms, 0}), strategyOf("s", staticRows(1)));
        QCOMPARE(run.batches(), (Batches{{1}, {0}}));
        VERIFY_NO_FAULTS(validateLog(run.log));
    }
    void oneAtATimeHasNoPadding()
    {
        const RecordedRun run = runVirtually(workloadOfLengths({3, 1, 2}), strategyOf("s", {"none", {}}));
        QCOMPARE(run.batches(), (Batches{{0}, {1}, {2}}));
        QCOMPARE(run.all<RunStarted>().front().slot_count, 1U);
        for (const BatchFormed& formed : run.all<BatchFormed>())
            QCOMPARE(formed.padded_prompt_tokens, 4);
    }

    void predictionIsChargedOnEnteringTheQueue()
    {
        // r0, r1 at once: one call of 5 ms. r2 arrives during the reading pass: predicted at its end, before
        // the next.
        const Workload workload = arrivingAt({0, 0, 6 * k_ms});
        const RecordedRun run =
            runVirtually(workload, strategyOf("s", staticRows(2), "sjf", oracleTaking(0.005)));
        QCOMPARE(run.times<Predicted>(), (std::vector<Nanos>{5 * k_ms, 5 * k_ms, 20 * k_ms}));
        QCOMPARE(run.all<Predicted>()[0].elapsed_ns, 5 * k_ms / 2);
        QCOMPARE(run.all<Predicted>()[2].elapsed_ns, 5 * k_ms);
        const std::vector<Steps> spans = run.all<Steps>();
        QCOMPARE(spans[0].start_ns, 5 * k_ms);
        QCOMPARE(spans[1].start_ns, 20 * k_ms);
        VERIFY_NO_FAULTS(validateLog(run.log));
    }
    void theSharesOfACallAddUpToIt()
    {
        const RecordedRun run =
            runVirtually(workloadOfLengths({1, 1, 1, 1, 1, 1, 1}),
                         strategyOf("s", staticRows(2), "sjf", oracleTaking(0.000000025)));
        std::vector<Nanos> shares;
        for (const Predicted& predicted : run.all<Predicted>())
            shares.push_back(predicted.elapsed_ns);
        QCOMPARE(shares, (std::vector<Nanos>{4, 4, 4, 4, 3, 3, 3}));
    }
    void anUnknownPredictionCountsAsTheCap()
    {
        const Workload workload = workloadOf({{1, 4, 0, std::nullopt}, {8, 4, 0, 8}});
        const RecordedRun run =
            runVirtually(workload, strategyOf("s", staticRows(1), "sjf", {"recorded", {}}, "none", 64));
        QCOMPARE(run.batches(), (Batches{{1}, {0}}));
        QVERIFY(run.all<Predicted>()[0].failed);
        QVERIFY(!run.all<Predicted>()[0].tokens);
        QCOMPARE(run.all<Picked>()[1].key, 64.0);
    }
    void withoutAPredictorNothingIsPredicted()
    {
        const RecordedRun run = runVirtually(workloadOfLengths({2, 1}), strategyOf("s", staticRows(2)));
        QVERIFY(run.all<Predicted>().empty());
    }

    void aRowEndsAtTheCapOrAtWhatTheContextLeaves()
    {
        FakeOptions options;
        options.capabilities.context = 12;
        const Workload workload = workloadOf({{9, 4, 0, {}}, {9, 8, 0, {}}, {5, 4, 0, {}}});
        const RecordedRun run =
            runVirtually(workload, strategyOf("s", staticRows(3), "fcfs", {"none", {}}, "none", 6), options);
        const auto ends = run.delivered();
        QVERIFY(ends.at(0).cause == RowEnd::Cap);
        QCOMPARE(ends.at(0).output_tokens, 6);
        QVERIFY(ends.at(1).cause == RowEnd::Cap);
        QCOMPARE(ends.at(1).output_tokens, 4); // 12 - 8
        QVERIFY(ends.at(2).cause == RowEnd::Length);
        QCOMPARE(run.all<BatchFormed>().front().padded_prompt_tokens, 8);
        VERIFY_NO_FAULTS(validateLog(run.log));
    }
    void anAnswerOfNoTokensTakesOnePass()
    {
        const RecordedRun run = runVirtually(workloadOfLengths({0}), strategyOf("s", staticRows(1)));
        QCOMPARE(run.delivered().at(0).step, 1U);
        QCOMPARE(run.delivered().at(0).output_tokens, 0);
        VERIFY_NO_FAULTS(validateLog(run.log));
    }
    void freeLengthsAreTheModels()
    {
        Workload workload = workloadOfLengths({2, 2});
        workload.lengths = LengthMode::Free;
        FakeOptions options;
        options.capabilities.free_lengths = true;
        options.free_lengths = {{0, 5}, {1, 1}};
        const RecordedRun run = runVirtually(workload, strategyOf("s", staticRows(2)), options);
        QVERIFY(run.delivered().at(0).cause == RowEnd::Eos);
        QCOMPARE(run.delivered().at(0).output_tokens, 5);
        QCOMPARE(run.delivered().at(1).output_tokens, 1);
    }
    void deliveryIsKeptInTheLog()
    {
        PartSpec batching = staticRows(2);
        QVERIFY(
            runVirtually(workloadOfLengths({1}), strategyOf("s", batching)).all<RunStarted>()[0].delivery ==
            Delivery::Streamed);
        batching.params["delivery"] = std::string("batch-end");
        QVERIFY(
            runVirtually(workloadOfLengths({1}), strategyOf("s", batching)).all<RunStarted>()[0].delivery ==
            Delivery::BatchEnd);
    }
    void theBackendIsUsedAsItsContractSays()
    {
        FakeBackend backend;
        VirtualClock clock;
        const RecordedRun run =
            runOn(backend, clock, workloadOfLengths({3, 1, 2, 7, 5}), strategyOf("s", staticRows(2)));
        VERIFY_NO_FAULTS(backend.faults());
        QCOMPARE(backend.slotsInUse(), 0U);
        QVERIFY(run.status == RunStatus::Completed);
    }
    void aSimulatedSpanIsNotSplitByArrivals()
    {
        FakeOptions options;
        options.read_ps = options.pass_ps;
        std::vector<Job> jobs{{100, 4, 0, {}}};
        for (int i = 1; i <= 20; ++i)
            jobs.push_back({1, 4, i * k_ms, {}});
        const RecordedRun run = runVirtually(workloadOf(jobs), strategyOf("s", staticRows(1)), options);
        QCOMPARE(run.all<Steps>().front().count, 101U);
    }
};

BATCHSCOPE_TEST(StaticBatchesTest)

} // namespace batchscope::tests

#include "static_batches_test.moc"
