// SPDX-License-Identifier: GPL-3.0-or-later
// Continuous batching by hand: who joins when, who leaves for whom, what it costs. A pass takes 1 ms, and 1
// ms more for each prompt token it reads.
#include "tests/support/event_text.h"
#include "tests/support/no_faults.h"
#include "tests/support/simulated_run.h"
#include "tests/support/test_main.h"
#include "tests/support/workloads.h"

namespace batchscope::tests {
namespace {

constexpr Nanos k_ms = 1'000'000;

Strategy continuous(PartSpec batching, const std::string& ordering = "fcfs",
                    PartSpec predictor = {"none", {}}, int cap = 100)
{
    return strategyOf("c", std::move(batching), ordering, std::move(predictor), "none", cap);
}

// When each request's row ended, in ms, by request.
std::vector<double> ends(const RecordedRun& run)
{
    std::map<RequestIndex, double> found;
    for (const Event& event : run.log)
        if (const auto* ended = std::get_if<RowEnded>(&event.body))
            found[ended->request] = static_cast<double>(event.at_ns) / 1e6;
    std::vector<double> times;
    for (const auto& [request, at] : found)
        times.push_back(at);
    return times;
}

} // namespace

class ContinuousBatchesTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    // Two slots, prompts of 2 tokens. r0 has 1 token (2 passes), r1 has 3 (4 passes), r2 has 1.
    // Pass 1 reads r0 and r1: 1 + 4 = 5 ms. Pass 2 ends r0 at 6 ms. Pass 3 reads r2 while r1 decodes: 1 + 2 =
    // 3 ms, to 9 ms. Pass 4 ends r1 and r2 at 10 ms.
    void aRowLeavesAndTheNextJoinsAtTheSamePass()
    {
        const RecordedRun run =
            runSimulated(workloadOf({{1, 2}, {3, 2}, {1, 2}}), continuous(continuousOf(2)));
        VERIFY_NO_FAULTS(validateLog(run.log));
        const std::string expected("0 run-started requests 3 slots 2 cap 100\n"
                                   "0 arrived r0 prompt 2\n"
                                   "0 arrived r1 prompt 2\n"
                                   "0 arrived r2 prompt 2\n"
                                   "0 picked r0 batch 0 by tie key 0 before r1 0\n"
                                   "0 picked r1 batch 0 by tie key 0 before r2 0\n"
                                   "0 batch-formed 0 padded 0: r0.0<=100 r1.0<=100\n"
                                   "5 steps 0 passes 1..1 reads 2\n"
                                   "5 memory\n"
                                   "6 steps 0 passes 2..2\n"
                                   "6 row-ended r0.0 length tokens 1 pass 2\n"
                                   "6 memory\n"
                                   "6 picked r2 batch 0 by only-one key 0\n"
                                   "6 batch-formed 0 padded 0: r2.0<=100\n"
                                   "9 steps 0 passes 3..3 reads 1\n"
                                   "9 memory\n"
                                   "10 steps 0 passes 4..4\n"
                                   "10 row-ended r1.0 length tokens 3 pass 4\n"
                                   "10 row-ended r2.0 length tokens 1 pass 4\n"
                                   "10 memory\n"
                                   "10 batch-ended 0 passes 4\n"
                                   "10 run-ended completed\n");
        QVERIFY2(EventText::of(run.log) == expected, EventText::of(run.log).c_str());
    }

    // A span of equal passes is one event, and stops where an arrival can join: r1 comes at 7.5 ms, in the
    // sixth pass of r0 (read at 3 ms, then 1 ms a pass: 4, 5, 6, 7, 8 ms).
    void anArrivalJoinsAtTheNextPass()
    {
        const RecordedRun run =
            runSimulated(workloadOf({{20, 2}, {1, 1, 7'500'000}}), continuous(continuousOf(2)));
        VERIFY_NO_FAULTS(validateLog(run.log));
        const auto spans = run.all<Steps>();
        QCOMPARE(spans.size(), std::size_t{5}); // read; to the arrival; r1's read; to r1's end; to r0's end
        QCOMPARE(spans[1].count, 5U);
        QCOMPARE(run.times<BatchFormed>(), (std::vector<Nanos>{0, 8 * k_ms}));
        // r1 reads at 8 ms (2 ms) and ends at 11 ms; r0 has then had 8 of its 21 passes, and ends 13 ms
        // later.
        QCOMPARE(ends(run), (std::vector<double>{24, 11}));
    }

    // With full slots nobody could join: no span is cut for an arrival.
    void anArrivalThatCannotJoinCutsNoSpan()
    {
        const RecordedRun run =
            runSimulated(workloadOf({{20, 2}, {1, 1, 7'500'000}}), continuous(continuousOf(1)));
        QCOMPARE(run.all<Steps>().size(), std::size_t{4});
        QCOMPARE(ends(run), (std::vector<double>{23, 26}));
    }

    // Budget 4, chunks: r0 (1 prompt token) is read by itself, since its pass reads one prompt only; then
    // r1's 7 tokens in chunks of 3 beside r0's token: 3 + 3 + 1.
    void aPromptIsReadInWhatTheBudgetLeaves()
    {
        PartSpec batching = continuousOf(2, {{"token_budget", std::int64_t{4}}, {"chunked_prefill", true}});
        const RecordedRun run = runSimulated(workloadOf({{10, 1}, {1, 7}}), continuous(batching));
        VERIFY_NO_FAULTS(validateLog(run.log));
        std::vector<int> chunks;
        for (const Steps& span : run.all<Steps>())
            for (const PromptRead& read : span.reads)
                chunks.push_back(read.completes ? -read.tokens : read.tokens);
        QCOMPARE(chunks, (std::vector<int>{-1, 3, 3, -1}));
        // 2; 2 + 4 + 4 + 2 = 12 with the third chunk yielding r1's token; r1 ends a pass later, at 13 ms.
        QCOMPARE(ends(run), (std::vector<double>{19, 13}));
    }

    // Without chunks a prompt waits until it fits beside those who decode: 3 + 3 tokens never fit into 5 at
    // once.
    void aWholePromptWaitsForTheBudget()
    {
        PartSpec batching = continuousOf(3, {{"token_budget", std::int64_t{5}}});
        const RecordedRun run = runSimulated(workloadOf({{5, 3}, {5, 3}, {5, 3}}), continuous(batching));
        QCOMPARE(run.batches(), (std::vector<std::vector<RequestIndex>>{{0}, {1}, {2}}));
        QCOMPARE(run.times<BatchFormed>(), (std::vector<Nanos>{0, 4 * k_ms, 8 * k_ms}));
    }

    // Room for 24 tokens. Without preemption each request of 4 + at most 8 tokens takes 12 of them: two at a
    // time, though four would fit for their first passes.
    void withoutPreemptionTheWorstCaseIsReserved()
    {
        engine::CostModel model = plainModel();
        model.kv_bytes = 24;
        const RecordedRun run = runSimulated(workloadOf({{2, 4}, {2, 4}, {2, 4}}),
                                             continuous(continuousOf(4), "fcfs", {"none", {}}, 8), model);
        QCOMPARE(run.batches(), (std::vector<std::vector<RequestIndex>>{{0, 1}, {2}}));
    }

    // Room for 44 tokens, prompts of 4, 20 tokens each: both are admitted (2 x 4 + 2 x 16 of headroom), and
    // at 44 = 2 x (4 + 18) the later one loses its cache. It reads 4 + 18 tokens again once r0 has ended, and
    // its tokens are generated once.
    void whoHasTheWorstKeyIsThrownOutAndReadAgain()
    {
        engine::CostModel model = plainModel();
        model.kv_bytes = 44;
        const Workload workload = workloadOf({{20, 4}, {20, 4}});
        const RecordedRun run = runSimulated(
            workload,
            continuous(continuousOf(4, {{"preemption", std::string("recompute")}}), "fcfs", {"none", {}}, 30),
            model);
        VERIFY_NO_FAULTS(validateLog(run.log));
        const auto preempted = run.all<Preempted>();
        QCOMPARE(preempted.size(), std::size_t{1});
        QCOMPARE(preempted.front().request, 1U);
        QVERIFY(!preempted.front().keeps_kv);
        const auto formed = run.all<BatchFormed>();
        QCOMPARE(formed.back().rows.front().resumed_tokens, 18);
        QCOMPARE(run.all<Resumed>().front().kept_tokens, 0);
        // 9 ms for the first pass, 17 more to pass 18 at 26 ms; r0 goes on alone for 3 passes: 29 ms. r1
        // reads 22 tokens (23 ms, yields token 19), then token 20 and the end: 54 ms.
        QCOMPARE(ends(run), (std::vector<double>{29, 54}));
        QCOMPARE(run.usefulTokens(), std::int64_t{40});
    }

    // The same with its cache kept aside at 0.1 ms a token: 22 tokens out and back, instead of 22 ms of
    // reading.
    void aCacheThatIsKeptAsideIsNotReadAgain()
    {
        engine::CostModel model = plainModel();
        model.kv_bytes = 44;
        model.swap_token_ps = 100'000'000;
        const RecordedRun run = runSimulated(
            workloadOf({{20, 4}, {20, 4}}),
            continuous(continuousOf(4, {{"preemption", std::string("keep-kv")}}), "fcfs", {"none", {}}, 30),
            model);
        VERIFY_NO_FAULTS(validateLog(run.log));
        // Its cache holds 4 + 17 tokens (the 18th has been generated and not been fed): 2.1 ms each way.
        QCOMPARE(ends(run), (std::vector<double>{31.1, 36.2}));
    }

    // r0 has 50 tokens to go when r1 with 2 arrives: its place is given up, and it goes on afterwards.
    void theShortestRemainingTakesThePlace()
    {
        const Workload workload = workloadOf({{50, 1}, {2, 1, 10 * k_ms}});
        const PartSpec batching = continuousOf(1, {{"preemption", std::string("recompute")}});
        const RecordedRun run = runSimulated(workload, continuous(batching, "srpt", {"oracle", {}}));
        VERIFY_NO_FAULTS(validateLog(run.log));
        const Preempted preempted = run.all<Preempted>().front();
        QCOMPARE(preempted.request, 0U);
        QCOMPARE(preempted.in_favour_of, std::optional<RequestIndex>(1));
        QCOMPARE(preempted.key, 41.0); // 50 - 9 tokens by 10 ms
        QCOMPARE(preempted.favoured_key, 2.0);
        // r1: 2 + 1 + 1 ms from 10. r0 reads 1 + 9 tokens again: 11 ms, and 41 passes in all.
        QCOMPARE(ends(run), (std::vector<double>{14 + 11 + 41, 14}));
    }

    // TRAIL's limited preemption: past the share nobody takes its place.
    void pastItsShareARequestKeepsItsPlace()
    {
        const Workload workload = workloadOf({{10, 1}, {2, 1, 8 * k_ms}});
        const PartSpec batching = continuousOf(1, {{"preemption", std::string("recompute")}});
        Strategy strategy = continuous(batching, "srpt", {"constant", {{"tokens", std::int64_t{10}}}});
        strategy.predictor = {"oracle", {}};
        strategy.ordering.params["share"] = 0.5;
        QVERIFY(runSimulated(workload, strategy).all<Preempted>().empty());
        strategy.ordering.params["share"] = 0.9;
        QCOMPARE(runSimulated(workload, strategy).all<Preempted>().size(), std::size_t{1});
    }

    // r0 is predicted 3 and has 40: at its fourth token it counts as one of the cap, and r1 takes its place.
    void anOverRunnerLosesItsPlace()
    {
        const Workload workload = workloadOf({{40, 1, 0, 3}, {5, 1, 0, 5}});
        Strategy strategy =
            continuous(continuousOf(1, {{"preemption", std::string("recompute")}}), "sjf", {"recorded", {}});
        QVERIFY(runSimulated(workload, strategy).all<Preempted>().empty());
        strategy.correction.type = "demote";
        const RecordedRun run = runSimulated(workload, strategy);
        VERIFY_NO_FAULTS(validateLog(run.log));
        QCOMPARE(run.all<Preempted>().size(), std::size_t{1});
        QCOMPARE(run.all<Preempted>().front().key, 100.0); // the cap
        QVERIFY(ends(run)[1] < ends(run)[0]);
    }

    // Short ones keep coming; the long one is promoted 20 ms after it arrived, it alone.
    void whoHasWaitedTooLongGoesFirst()
    {
        std::vector<Job> jobs{{3, 1}, {30, 1}};
        for (int i = 0; i < 20; ++i)
            jobs.push_back({3, 1, i * 4 * k_ms});
        Strategy strategy = continuous(continuousOf(1), "sjf", {"oracle", {}});
        const RecordedRun starved = runSimulated(workloadOf(jobs), strategy);
        QVERIFY(starved.all<Promoted>().empty());
        strategy.ordering.params["ageing.absolute_s"] = 0.020;
        const RecordedRun run = runSimulated(workloadOf(jobs), strategy);
        VERIFY_NO_FAULTS(validateLog(run.log));
        const Promoted first = run.all<Promoted>().front();
        QCOMPARE(first.request, 1U);
        QCOMPARE(first.bound_ns, 20 * k_ms);
        QVERIFY(ends(run)[1] < ends(starved)[1]);
        for (const Picked& picked : run.all<Picked>())
            if (picked.request == 1) {
                QCOMPARE(picked.rule, PickRule::Aged);
                QCOMPARE(picked.waited_ns, 25 * k_ms); // the first batch end after 20 ms: every 5 ms
            }
    }

    // Two clients, think time 2 ms: r2 is sent 2 ms after the first answer, r3 after the second.
    void inAClosedLoopAnAnswerBringsTheNextRequest()
    {
        Workload workload = workloadOf({{1, 1}, {3, 1}, {1, 1}, {1, 1}});
        workload.closed_loop_clients = 2;
        for (Request& request : workload.requests)
            request.think_ns = 2 * k_ms;
        const RecordedRun run = runSimulated(workload, continuous(continuousOf(4)));
        VERIFY_NO_FAULTS(validateLog(run.log));
        std::vector<Nanos> arrivals;
        for (const Arrived& arrived : run.all<Arrived>())
            arrivals.push_back(arrived.arrival_ns);
        // Both are read from 2 ms to 5 ms; r0 ends at 6 ms: r2 comes at 8 ms, when r1 ends: r3 comes at 10
        // ms.
        QCOMPARE(arrivals, (std::vector<Nanos>{2 * k_ms, 2 * k_ms, 8 * k_ms, 10 * k_ms}));
    }

    // The second turn is asked 5 ms after the first was answered, in every mode.
    void aTurnFollowsTheAnswerToTheOneBefore()
    {
        Workload workload = workloadOf({{1, 1}, {1, 1}});
        workload.requests[1].follows = 0;
        workload.requests[1].think_ns = 5 * k_ms;
        for (const PartSpec& batching : {continuousOf(2), staticRows(4), groupedOf(4, 2, 50)}) {
            const RecordedRun run = runSimulated(workload, continuous(batching));
            VERIFY_NO_FAULTS(validateLog(run.log));
            QCOMPARE(run.all<Arrived>()[1].arrival_ns, 3 * k_ms + 5 * k_ms);
        }
    }

    void whatCanNeverRunIsRefusedWithItsRemedy()
    {
        const Workload workload = workloadOf({{5, 9}});
        const auto refusal = [&workload](const Strategy& strategy) {
            try {
                (void)runSimulated(workload, strategy);
            } catch (const std::exception& error) {
                return std::string(error.what());
            }
            return std::string();
        };
        QVERIFY(refusal(continuous(continuousOf(2, {{"token_budget", std::int64_t{8}}})))
                    .find("chunked_prefill") != std::string::npos);
        QVERIFY(refusal(continuous(continuousOf(2), "srpt", {"oracle", {}})).find("batching.preemption") !=
                std::string::npos);
        QVERIFY(refusal(continuous(staticRows(2), "srpt", {"oracle", {}})).find("continuous") !=
                std::string::npos);
        QVERIFY(refusal(continuous(continuousOf(2), "rank", {"oracle", {}})).find("rank predictor") !=
                std::string::npos);
    }
};

BATCHSCOPE_TEST(ContinuousBatchesTest)

} // namespace batchscope::tests

#include "continuous_batches_test.moc"
