// SPDX-License-Identifier: GPL-3.0-or-later
// Sequence scheduling on the loop: groups, micro-batches, recomputation, held prefills, memory.
#include "scheduler/batching/bins.h"
#include "tests/support/event_text.h"
#include "tests/support/no_faults.h"
#include "tests/support/recorded_run.h"
#include "tests/support/test_main.h"
#include "tests/support/workloads.h"

#include <set>

namespace batchscope::tests {
namespace {

constexpr Nanos k_ms = 1'000'000;
using Batches = std::vector<std::vector<RequestIndex>>;

// 256 requests "repeat number i" with random lengths and random, mostly wrong predictions.
Workload wronglyPredicted(std::uint64_t seed, int requests = 256)
{
    Random random(seed);
    std::vector<Job> jobs;
    for (int i = 0; i < requests; ++i)
        jobs.push_back({static_cast<int>(random.below(120)), 1 + static_cast<int>(random.below(30)), 0,
                        1 + static_cast<int>(random.below(200))});
    return workloadOf(jobs);
}

// Keeps every prompt's prefill.
class HoldingPredictor : public LengthPredictor
{
public:
    explicit HoldingPredictor(FakeBackend& backend) : m_backend(backend) {}
    PredictionKind kind() const override { return PredictionKind::Tokens; }
    PredictionCall predict(std::span<const Request* const> requests) override
    {
        PredictionCall call;
        m_calls.push_back(requests.size());
        for (const Request* request : requests) {
            Prediction prediction;
            prediction.tokens = request->predicted_tokens;
            prediction.held = m_backend.holdPrompt(*request);
            call.predictions.push_back(prediction);
        }
        return call;
    }
    std::vector<std::size_t> calls() const { return m_calls; }

private:
    FakeBackend& m_backend;
    std::vector<std::size_t> m_calls;
};

} // namespace

class GroupedBatchesTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void answerIBelongsToPromptI() // case S1
    {
        for (const char* vbs : {"off", "table", "memory"}) {
            const Workload workload = wronglyPredicted(7);
            const RecordedRun run = runVirtually(
                workload, strategyOf("s", groupedOf(256, 16, 50, vbs), "sjf", {"recorded", {}}, "fcr"));
            int right = 0;
            for (const auto& [request, end] : run.delivered()) {
                const auto& ids = run.tokens.find({request, end.attempt});
                const bool is_empty =
                    ids == run.tokens.end() && *workload.requests[request].output_tokens == 0;
                bool is_own =
                    is_empty || (ids != run.tokens.end() && static_cast<int>(ids->second.size()) ==
                                                                *workload.requests[request].output_tokens);
                if (!is_empty && is_own)
                    for (std::size_t k = 0; k < ids->second.size(); ++k)
                        is_own = is_own && ids->second[k] == static_cast<TokenId>(1000 * request + k);
                right += is_own ? 1 : 0;
            }
            QCOMPARE(right, 256);
        }
    }

    // Case S2: exactly the requests that a predicted limit stopped run again, each ends once, the useful
    // tokens are those of the run without FCR, and the first attempts are charged.
    void onlyStoppedRequestsAreRecomputed()
    {
        const Workload workload = wronglyPredicted(8);
        const Strategy with = strategyOf("fcr", groupedOf(256, 16, 50), "sjf", {"recorded", {}}, "fcr", 100);
        const RecordedRun run = runVirtually(workload, with);
        std::set<RequestIndex> expected;
        std::map<RequestIndex, int> limits; // passes of the batch that each request ran in first
        for (const BatchFormed& formed : run.all<BatchFormed>())
            if (formed.kind == BatchKind::Micro)
                for (const RowStart& row : formed.rows)
                    limits[row.request] = limitOfBin(*formed.bin, 100);
        for (const Request& request : workload.requests) {
            const int length = *request.output_tokens;
            const int passes = length < 100 ? length + 1 : 100;
            if (passes > limits.at(request.index)) expected.insert(request.index);
        }
        QVERIFY(expected.size() > 20);
        std::multiset<RequestIndex> again;
        for (const BatchFormed& formed : run.all<BatchFormed>())
            if (formed.kind == BatchKind::Recompute)
                for (const RowStart& row : formed.rows) {
                    again.insert(row.request);
                    QCOMPARE(row.attempt, std::uint16_t{1});
                    QVERIFY(row.limit_is_cap);
                }
        QVERIFY(again == std::multiset<RequestIndex>(expected.begin(), expected.end()));
        std::multiset<RequestIndex> ends;
        for (const RowEnded& end : run.all<RowEnded>())
            if (end.cause != RowEnd::Limit) ends.insert(end.request);
        QCOMPARE(ends.size(), 256U);
        QCOMPARE(std::set<RequestIndex>(ends.begin(), ends.end()).size(), 256U);
        const std::vector<AttemptAbandoned> abandoned = run.all<AttemptAbandoned>();
        QCOMPARE(abandoned.size(), expected.size());
        for (const AttemptAbandoned& attempt : abandoned)
            QCOMPARE(attempt.tokens, limits.at(attempt.request));
        const Strategy without =
            strategyOf("no fcr", groupedOf(256, 16, 50), "sjf", {"recorded", {}}, "none", 100);
        QCOMPARE(run.usefulTokens(), runVirtually(workload, without).usefulTokens());
        VERIFY_NO_FAULTS(validateLog(run.log));
    }
    void aPerfectPredictionIsNeverRecomputed()
    {
        const Workload workload = wronglyPredicted(9);
        for (const int width : {1, 50})
            QVERIFY(runVirtually(workload,
                                 strategyOf("s", groupedOf(256, 16, width), "sjf", {"oracle", {}}, "fcr"))
                        .all<AttemptAbandoned>()
                        .empty());
    }
    void aRowAtTheCapIsNotRecomputed() // S-5: it used the whole cap, and would again
    {
        const Workload workload = workloadOf({{50, 4, 0, 20}, {50, 4, 0, 19}});
        const RecordedRun run =
            runVirtually(workload, strategyOf("s", groupedOf(2, 2, 1), "sjf", {"recorded", {}}, "fcr", 20));
        QVERIFY(run.all<AttemptAbandoned>().empty());
        QVERIFY(run.delivered().at(0).cause == RowEnd::Cap);
    }
    // Predictions 6 5 and 2 3 with rows 2: batches {2 3} and {5 6}; the limit is that of the larger bin.
    void theLimitIsThatOfTheLargestBin()
    {
        const Workload workload = workloadOf({{6, 4, 0, 6}, {2, 4, 0, 2}, {5, 4, 0, 5}, {3, 4, 0, 3}});
        const RecordedRun run =
            runVirtually(workload, strategyOf("s", groupedOf(4, 2, 1), "sjf", {"recorded", {}}, "fcr"));
        QCOMPARE(run.batches(), (Batches{{1, 3}, {2, 0}}));
        const std::vector<BatchFormed> formed = run.all<BatchFormed>();
        QCOMPARE(*formed[0].bin, 3);
        QCOMPARE(formed[0].rows[0].limit_steps, 4);
        QCOMPARE(*formed[1].bin, 6);
        QCOMPARE(formed[1].rows[1].limit_steps, 7);
    }
    void withoutCorrectionABatchMayRunToTheCap()
    {
        const Workload workload = workloadOf({{30, 4, 0, 2}, {1, 4, 0, 2}});
        const RecordedRun run =
            runVirtually(workload, strategyOf("s", groupedOf(2, 2, 1), "sjf", {"recorded", {}}));
        QCOMPARE(run.all<BatchFormed>().front().rows[0].limit_steps, 512);
        QCOMPARE(run.delivered().at(0).output_tokens, 30);
    }
    void binsAscendAndInsideABinTheOrderingDecides()
    {
        // fcfs: inside bin 50 by arrival, whatever is predicted.
        const Workload workload = workloadOf({{1, 4, 0, 70}, {1, 4, 0, 40}, {1, 4, 0, 10}, {1, 4, 0, 60}});
        const Strategy strategy = strategyOf("s", groupedOf(4, 2, 50), "fcfs", {"recorded", {}});
        const RecordedRun run = runVirtually(workload, strategy);
        QCOMPARE(run.batches(), (Batches{{1, 2}, {0, 3}}));
        QVERIFY(run.all<Picked>()[0].rule == PickRule::Tie);
        QVERIFY(run.all<Picked>()[1].rule == PickRule::Bin);
    }
    void recomputationsAreOrderedLikeAnyOther()
    {
        // All stopped: predictions 3 2 1 3, bins of 1; cut by 2 in that order.
        const Workload workload = workloadOf({{9, 4, 0, 3}, {9, 4, 0, 2}, {9, 4, 0, 1}, {9, 4, 0, 3}});
        const RecordedRun run =
            runVirtually(workload, strategyOf("s", groupedOf(4, 2, 1), "sjf", {"recorded", {}}, "fcr"));
        QCOMPARE(run.batches(), (Batches{{2, 1}, {0, 3}, {2, 1}, {0, 3}}));
        QVERIFY(run.all<BatchFormed>()[2].kind == BatchKind::Recompute);
        QVERIFY(run.all<Picked>().back().rule == PickRule::Recompute);
    }
    void recomputationsUnderVbsHaveTheRowsOfTheCap()
    {
        Workload workload = workloadOfLengths(std::vector<int>(100, 90));
        for (Request& request : workload.requests)
            request.predicted_tokens = 10;
        const RecordedRun run = runVirtually(
            workload, strategyOf("s", groupedOf(256, 4, 50, "table"), "sjf", {"recorded", {}}, "fcr"));
        std::vector<std::size_t> sizes;
        for (const auto& batch : run.batches())
            sizes.push_back(batch.size());
        QCOMPARE(sizes, (std::vector<std::size_t>{100, 16, 16, 16, 16, 16, 16, 4}));
        QCOMPARE(run.all<RunStarted>().front().slot_count, 256U);
    }

    void theGroupIsThoseWhoArrivedFirst()
    {
        // The shortest of all arrives last: it waits for the next group.
        const Workload workload =
            workloadOf({{5, 4, 2 * k_ms, 5}, {9, 4, 0, 9}, {7, 4, 1 * k_ms, 7}, {1, 4, 2 * k_ms, 1}});
        const RecordedRun run = runVirtually(workload, strategyOf("s",
                                                                  [] {
                                                                      PartSpec spec = groupedOf(3, 2, 1);
                                                                      spec.params["window_s"] = 1.0;
                                                                      return spec;
                                                                  }(),
                                                                  "sjf", {"recorded", {}}));
        QCOMPARE(run.batches(), (Batches{{0, 2}, {1}, {3}}));
        QCOMPARE(*run.all<BatchFormed>()[1].group, 0U);
        QCOMPARE(*run.all<BatchFormed>()[2].group, 1U);
        QCOMPARE(run.times<BatchFormed>()[0], 2 * k_ms);
    }
    void aGroupIsPredictedInOneBlockingCall()
    {
        const Workload workload = workloadOf({{2, 4, 0, 2}, {2, 4, 0, 2}, {2, 4, 3 * k_ms, 2}});
        const RecordedRun run = runVirtually(
            workload, strategyOf("s", groupedOf(2, 2, 1), "sjf", {"recorded", {{"per_call_s", 0.004}}}));
        // Call 0-4 ms; passes 10 + 1 + 1 ms; then a call for r2, which arrived during the first.
        QCOMPARE(run.times<Predicted>(), (std::vector<Nanos>{4 * k_ms, 4 * k_ms, 20 * k_ms}));
        QCOMPARE(run.times<Arrived>(), (std::vector<Nanos>{0, 0, 4 * k_ms}));
    }
    void aRecomputationIsNotPredictedAgain()
    {
        const Workload workload = workloadOf({{9, 4, 0, 1}, {1, 4, 0, 1}});
        const RecordedRun run =
            runVirtually(workload, strategyOf("s", groupedOf(2, 2, 1), "sjf", {"recorded", {}}, "fcr"));
        QCOMPARE(run.all<Predicted>().size(), 2U);
        QCOMPARE(run.all<BatchFormed>().size(), 2U);
    }

    void heldPrefillsAreHandedToTheBackend()
    {
        Workload workload = workloadOf({{9, 4, 0, 2}, {3, 6, 0, 9}, {1, 5, 0, 9}});
        FakeBackend backend;
        VirtualClock clock;
        HoldingPredictor predictor(backend);
        const RecordedRun run =
            runOn(backend, clock, workload,
                  strategyOf("s", groupedOf(4, 1, 1), "sjf", {"recorded", {}}, "fcr"), &predictor);
        QCOMPARE(predictor.calls(), (std::vector<std::size_t>{3}));
        QCOMPARE(backend.heldsUsed(), 3);
        QCOMPARE(backend.slotsInUse(), 0U);
        VERIFY_NO_FAULTS(backend.faults());
        const std::vector<BatchFormed> formed = run.all<BatchFormed>();
        QCOMPARE(formed.size(), 4U); // r0 ran past its 2 tokens
        QVERIFY(formed[0].rows[0].held_prefill);
        QVERIFY(!formed.back().rows[0].held_prefill); // the recomputation reads its prompt
        QCOMPARE(run.all<Steps>().front().reads.front().tokens, 0);
        VERIFY_NO_FAULTS(validateLog(run.log));
    }
    void heldPrefillsThatDoNotFitAreReleased()
    {
        // A batch of 2 rows needs 2 * (6 + 8) = 28 tokens; 34 leave room for 6: the first prompt of 4 and no
        // other.
        Workload workload = workloadOf({{2, 4, 0, 2}, {3, 6, 0, 9}, {1, 5, 0, 9}});
        FakeOptions options;
        options.capabilities.kv_bytes_per_token = 10;
        FakeBackend backend(options);
        VirtualClock clock;
        HoldingPredictor predictor(backend);
        Strategy strategy = strategyOf("s", groupedOf(4, 2, 1), "sjf", {"recorded", {}}, "none", 8);
        strategy.limits.kv_bytes = 340;
        const RecordedRun run = runOn(backend, clock, workload, strategy, &predictor);
        QCOMPARE(backend.heldsUsed(), 1);
        QCOMPARE(backend.heldsReleased(), 2);
        QVERIFY(backend.mostKvBytes() <= 340);
        QVERIFY(run.all<Predicted>()[0].held_prefill);
        QVERIFY(!run.all<Predicted>()[1].held_prefill);
        VERIFY_NO_FAULTS(backend.faults());
    }
    void vbsByMemoryTakesHeldPrefillsOffFirst()
    {
        // 8 requests of 10 prompt tokens, all predicted 10 (cap 20): (100 - 0) / (10 + 10) = 5 rows; with 80
        // tokens held beside one row at the cap only (100 - held) / 20.
        Workload workload = workloadOf(std::vector<Job>(8, Job{10, 10, 0, 10}));
        FakeOptions options;
        options.capabilities.kv_bytes_per_token = 1;
        Strategy strategy = strategyOf("s", groupedOf(8, 2, 1, "memory"), "sjf", {"recorded", {}}, "fcr", 20);
        strategy.limits.kv_bytes = 100;
        QCOMPARE(runVirtually(workload, strategy, options).batches(), (Batches{{0, 1, 2, 3, 4}, {5, 6, 7}}));
        FakeBackend backend(options);
        VirtualClock clock;
        HoldingPredictor predictor(backend);
        const RecordedRun run = runOn(backend, clock, workload, strategy, &predictor);
        // One row at the cap takes 30; 70 hold 7 prompts; (100 - 70) / 20 = 1 row at a time.
        QCOMPARE(backend.heldsReleased(), 1);
        QCOMPARE(run.batches().size(), 8U);
        QVERIFY(backend.mostKvBytes() <= 100);
        VERIFY_NO_FAULTS(backend.faults());
    }
    void aFailedRowEndsAloneAndIsNotRecomputed()
    {
        FakeOptions options;
        options.row_fails_at = {{1, 2}};
        const Workload workload = workloadOf({{5, 4, 0, 5}, {5, 4, 0, 5}});
        const RecordedRun run = runVirtually(
            workload, strategyOf("s", groupedOf(2, 2, 1), "sjf", {"recorded", {}}, "fcr"), options);
        QVERIFY(run.status == RunStatus::Completed);
        QVERIFY(run.delivered().at(1).cause == RowEnd::Failed);
        QCOMPARE(run.delivered().at(0).output_tokens, 5);
        QCOMPARE(run.all<BatchFormed>().size(), 1U);
        VERIFY_NO_FAULTS(validateLog(run.log));
    }
};

BATCHSCOPE_TEST(GroupedBatchesTest)

} // namespace batchscope::tests

#include "grouped_batches_test.moc"
