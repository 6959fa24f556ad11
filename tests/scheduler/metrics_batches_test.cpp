// SPDX-License-Identifier: GPL-3.0-or-later
// Ratios, shares and times of hand-worked batches; every expected value is computed in the comment above it.
#include "scheduler/folds/padding_map.h"
#include "scheduler/metrics/metrics.h"
#include "tests/support/log_builder.h"
#include "tests/support/test_main.h"

#include <cmath>

using namespace batchscope;
using namespace batchscope::tests;

namespace {

constexpr Picos k_pass = 1'000'000'000'000; // 1 s in picoseconds
constexpr PassTimes k_even{k_pass, k_pass, 0};

bool close(std::optional<double> value, double expected)
{
    if (value && std::abs(*value - expected) <= 1e-12) return true;
    qWarning("found %.15g, expected %.15g", value.value_or(std::nan("")), expected);
    return false;
}

// Four requests at 0 s, predicted in 1 s together. Micro-batch 0 starts at 1 s and is limited to 6 passes: r0
// ends after 3 tokens (4 passes), r1 is stopped by the limit (6 tokens), r2 ends after 5 tokens (6 passes),
// r3 after one (2 passes). Batch 1, from 7 s to 17 s, runs r1 again: 9 tokens, 10 passes.
EventLog fcrLog(Delivery delivery)
{
    LogBuilder builder(runOf(4, 4, delivery));
    for (RequestIndex i = 0; i < 4; ++i)
        builder.arrive(i, 0);
    const int predicted[] = {3, 5, 5, 1};
    for (RequestIndex i = 0; i < 4; ++i)
        builder.predict(i, predicted[i], k_second / 4);
    const BatchIndex micro =
        builder.batch({{0, 3}, {1, 6, RowEnd::Limit}, {2, 5}, {3, 1}}, k_even, BatchKind::Micro);
    builder.abandon(1, micro, 6);
    builder.batch({{1, 9, RowEnd::Length, 10, 1}}, k_even, BatchKind::Recompute);
    return builder.finish();
}

} // namespace

class MetricsBatchesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // Rows of 2, 5 and 3 tokens take 3, 6 and 4 passes; the batch runs 6. Of 3 * 6 = 18 slot-steps 10 are
    // useful, 3 yield an end of sequence, 3 + 0 + 2 = 5 are padding. Prompts of 4, 10 and 6 tokens are padded
    // to 10.
    void staticBatchWithLeftPadding()
    {
        LogBuilder builder(runOf(3, 4));
        for (RequestIndex i = 0; i < 3; ++i)
            builder.arrive(i, 0);
        builder.batch({{0, 2, RowEnd::Length, 4}, {1, 5, RowEnd::Eos, 10}, {2, 3, RowEnd::Length, 6}},
                      k_even);
        const RunMetrics run = computeMetrics(builder.finish(), std::nullopt);
        QCOMPARE(run.steps, (StepKinds{.useful = 10, .end = 3, .padding = 5}));
        QCOMPARE(run.useful_output_tokens, 10);
        QCOMPARE(run.decode_steps, 6);
        QCOMPARE(run.batches, std::optional<std::int64_t>(1));
        QVERIFY(close(run.effective_token_ratio, 10.0 / 18));
        QVERIFY(close(run.effective_token_ratio_strict, 10.0 / 18));
        QVERIFY(close(run.average_length, 6));
        QVERIFY(close(run.average_length_strict, 6));
        QVERIFY(close(run.decode_padding_waste, 5.0 / 18));
        QVERIFY(close(run.prefill_padding_waste, 1.0 - 20.0 / 30));
        QVERIFY(close(run.rerun_ratio, 0));
        QVERIFY(close(run.predictor_time_share, 0));
        QVERIFY(close(run.makespan_s, 6)); // streamed: the longest row ends with the batch
        QVERIFY(close(run.output_token_throughput, 10.0 / 6));
        QVERIFY(close(run.mean_occupancy, 3.0 / 4)); // 3 of 4 slots all the time, burning rows included
        QVERIFY(!run.steady_request_throughput);     // the fourth slot was never occupied
    }

    // A row stopped by a cap of n takes n passes and spends none on an end of sequence.
    void capTakesAsManyPassesAsTokens()
    {
        LogBuilder builder(runOf(2, 2));
        builder.arrive(0, 0).arrive(1, 0);
        builder.batch({{0, 4, RowEnd::Cap}, {1, 3, RowEnd::Length}}, k_even);
        const RunMetrics run = computeMetrics(builder.finish(), std::nullopt);
        QCOMPARE(run.decode_steps, 4);
        QCOMPARE(run.steps, (StepKinds{.useful = 7, .end = 1}));
        QCOMPARE(run.completed, 2);
    }

    // Batch 0: 4 rows * 6 passes = 24 = 9 useful + 3 end + 2 + 4 padding + 6 abandoned. Batch 1: 9 useful + 1
    // end. Delivered steps: r0, r2, r3 6 each, r1 10, together 28; r1's abandoned attempt ran 6 more.
    void fcrChargesTheAbandonedAttempt()
    {
        const RunMetrics run = computeMetrics(fcrLog(Delivery::Streamed), std::nullopt);
        QCOMPARE(run.steps, (StepKinds{.useful = 18, .end = 4, .padding = 6, .abandoned = 6}));
        QCOMPARE(run.decode_steps, 16);
        QCOMPARE(run.batches, std::optional<std::int64_t>(2));
        QVERIFY(close(run.effective_token_ratio, 18.0 / 28));
        QVERIFY(close(run.effective_token_ratio_strict, 18.0 / 34));
        QVERIFY(close(run.average_length, 28.0 / 4));
        QVERIFY(close(run.average_length_strict, 34.0 / 4));
        QVERIFY(close(run.decode_padding_waste, 12.0 / 34));
        QCOMPARE(run.rerun_requests, 1);
        QVERIFY(close(run.rerun_ratio, 1.0 / 4));
        QVERIFY(close(run.rerun_token_share, 6.0 / 24));
        QVERIFY(close(run.makespan_s, 17));
        QVERIFY(close(run.predictor_time_share, 1.0 / 17));
        QVERIFY(close(run.output_token_throughput, 18.0 / 17));
        // Predicted 3, 5, 5, 1 against 3, 9, 5, 1: one miss of 4.
        QCOMPARE(run.prediction_error.n, 4);
        QVERIFY(close(run.prediction_error.mae, 1));
        QVERIFY(close(run.prediction_error.rmse, 2));
        QVERIFY(close(run.prediction_error.under_prediction_rate, 0.25));
        QVERIFY(close(run.prediction_error.acc50, 1));
        // Lengths 3, 9, 5, 1 spread by (1.5^2 + 4.5^2 + 0.5^2 + 3.5^2) = 35 around their mean of 4.5.
        QVERIFY(close(run.prediction_error.r2, 1.0 - 16.0 / 35));
        QVERIFY(close(run.queue_inversions, 0)); // all were first served at once
        // r3 completes first, at 3 s; k = ceil(4 / 4) = 1.
        QVERIFY(close(run.ssjf_throughput_25, 1.0 / 3));
        // ITL: delivered attempts only: 2 + 4 + 0 gaps in batch 0, 8 in batch 1, each of one pass.
        QCOMPARE(run.itl_s.n, 14);
        QVERIFY(close(run.itl_s.mean, 1));
        // Batch 0 fills all four slots from 1 s to 7 s; r3, r0 and r2 complete in it, at 3, 5 and 7 s.
        QVERIFY(close(run.steady_request_throughput, 3.0 / 6));
        // 4 slots for 6 s, then one for 10 s, of 4 slots for 17 s.
        QVERIFY(close(run.mean_occupancy, 34.0 / 68));
        // Everybody waits for the predictions (1 s); r1 is run again the moment batch 0 ends.
        QVERIFY(close(run.queue_busy_share, 1.0 / 17));
    }

    void recomputedRequestKeepsItsFirstSchedulingAndItsDeliveredTokens()
    {
        const auto requests = requestFigures(fcrLog(Delivery::Streamed));
        QCOMPARE(requests.size(), std::size_t{4});
        const RequestFigures& again = requests[1];
        QCOMPARE(again.dispatched_ns, 0);
        QCOMPARE(again.scheduled_ns, std::optional<Nanos>(1 * k_second));
        QCOMPARE(again.first_token_ns, std::optional<Nanos>(8 * k_second));
        QCOMPARE(again.last_token_ns, std::optional<Nanos>(16 * k_second));
        QCOMPARE(again.completed_ns, std::optional<Nanos>(17 * k_second));
        QCOMPARE(again.attempts, std::uint16_t{2});
        QCOMPARE(again.output_tokens, 9);
        QCOMPARE(again.abandoned_tokens, 6);
        QCOMPARE(again.delivered_steps, 10U);
        QCOMPARE(again.abandoned_steps, 6U);
        const RequestFigures& shortest = requests[3]; // one token: first = last
        QCOMPARE(shortest.first_token_ns, std::optional<Nanos>(2 * k_second));
        QCOMPARE(shortest.last_token_ns, std::optional<Nanos>(2 * k_second));
        QCOMPARE(shortest.completed_ns, std::optional<Nanos>(3 * k_second));
    }

    void batchEndDeliveryCompletesAtTheBatchsEndAndKeepsTokenTimes()
    {
        const auto streamed = requestFigures(fcrLog(Delivery::Streamed));
        const auto held_back = requestFigures(fcrLog(Delivery::BatchEnd));
        QCOMPARE(streamed[0].completed_ns, std::optional<Nanos>(5 * k_second));
        for (const RequestIndex i : {0U, 2U, 3U}) {
            QCOMPARE(held_back[i].completed_ns, std::optional<Nanos>(7 * k_second));
            QCOMPARE(held_back[i].first_token_ns, streamed[i].first_token_ns);
            QCOMPARE(held_back[i].last_token_ns, streamed[i].last_token_ns);
        }
        QCOMPARE(held_back[1].completed_ns, std::optional<Nanos>(17 * k_second));
    }

    // Bounds on E2E: r3 completes after 3 s, r0 after 5 s, r2 after 7 s, r1 after 17 s. TPOT is 1 s for all
    // but r3, which has none and passes.
    void goodputCountsRequestsWithinEveryBound()
    {
        const EventLog log = fcrLog(Delivery::Streamed);
        const auto goodput = [&](Slo slo) { return computeMetrics(log, slo).goodput; };
        QVERIFY(!computeMetrics(log, std::nullopt).goodput);
        QVERIFY(close(goodput(Slo{}), 4.0 / 17));
        QVERIFY(close(goodput(Slo{.ttft_s = {}, .tpot_s = {}, .e2el_s = 5.0}), 2.0 / 17));
        QVERIFY(close(goodput(Slo{.ttft_s = {}, .tpot_s = 0.5, .e2el_s = {}}), 1.0 / 17));
        QVERIFY(close(goodput(Slo{.ttft_s = 2.0, .tpot_s = {}, .e2el_s = {}}), 3.0 / 17));
        QVERIFY(close(goodput(Slo{.ttft_s = 1.9, .tpot_s = {}, .e2el_s = {}}), 0.0));
    }

    // One at a time, all there at 0 s, lengths 5, 2, 8: served in the order 5, 2, 8, of three pairs one (5
    // before 2) goes against length. TTFT includes the wait (public report Q11).
    void inversionsAndQueueingDelays()
    {
        LogBuilder builder(runOf(3, 1));
        for (RequestIndex i = 0; i < 3; ++i)
            builder.arrive(i, 0);
        builder.batch({{0, 5}}, k_even);
        builder.batch({{1, 2}}, k_even);
        builder.batch({{2, 8}}, k_even);
        const RunMetrics run = computeMetrics(builder.finish(), std::nullopt);
        QVERIFY(close(run.queue_inversions, 1.0 / 3));
        // Scheduled at 0, 6 and 9 s; first tokens at 1, 7 and 10 s.
        QVERIFY(close(run.queueing_delay_s.mean, 5));
        QVERIFY(close(run.max_queueing_delay_s, 9));
        QVERIFY(close(run.ttft_s.mean, 6));
        QVERIFY(close(run.service_ttft_s.mean, 1));
        QVERIFY(close(run.queue_busy_share, 9.0 / 18));
        QVERIFY(close(run.effective_token_ratio_strict,
                      15.0 / 18)); // alone, only the ends of sequence are not useful
        QVERIFY(close(run.decode_padding_waste, 0));
    }

    // Two slots. r0 runs alone (3 passes), then r1 and r2 fill both slots from 3 s to 7 s, then r3 and r4
    // follow one by one. Completed: r0 at 3 s, r1 at 5 s, r2 at 7 s, r3 at 9 s, r4 at 11 s. The steady window
    // is 3 s to 7 s: r0's completion at its very start was not its work, r2's at its end was. SSJF: k =
    // ceil(5 / 4) = 2.
    void steadyWindowAndSsjfThroughput()
    {
        LogBuilder builder(runOf(5, 2));
        for (RequestIndex i = 0; i < 5; ++i)
            builder.arrive(i, 0);
        builder.batch({{0, 2}}, k_even);
        builder.batch({{1, 1}, {2, 3}}, k_even);
        builder.batch({{3, 1}}, k_even);
        builder.batch({{4, 1}}, k_even);
        const RunMetrics run = computeMetrics(builder.finish(), std::nullopt);
        QVERIFY(close(run.steady_request_throughput, 2.0 / 4));
        QVERIFY(close(run.ssjf_throughput_25, 2.0 / 5));
        QVERIFY(close(run.request_throughput, 5.0 / 11));
    }

    // r0 runs from 0 to 9 s. r1 waits from 1 s to 12 s, r2 from 2 s to 9 s (served before r1), r3 from 4 s to
    // 14 s: somebody waits from 1 s to 14 s, of 16 s.
    void waitsThatLieWithinOthersCountOnce()
    {
        LogBuilder builder(runOf(4, 1));
        builder.arrive(0, 0);
        builder.batch({{0, 8}}, k_even);
        builder.arrive(1, 1 * k_second).arrive(2, 2 * k_second).arrive(3, 4 * k_second);
        builder.batch({{2, 2}}, k_even);
        builder.batch({{1, 1}}, k_even);
        builder.batch({{3, 1}}, k_even);
        const RunMetrics run = computeMetrics(builder.finish(), std::nullopt);
        QVERIFY(close(run.makespan_s, 16));
        QVERIFY(close(run.queue_busy_share, 13.0 / 16));
    }

    void failedRowsAreAbandonedAndNotCompleted()
    {
        LogBuilder builder(runOf(2, 2));
        builder.arrive(0, 0).arrive(1, 0);
        builder.batch({{0, 3, RowEnd::Failed}, {1, 4}}, k_even);
        const RunMetrics run = computeMetrics(builder.finish(), std::nullopt);
        QCOMPARE(run.completed, 1);
        QCOMPARE(run.failed, 1);
        QCOMPARE(run.steps, (StepKinds{.useful = 4, .end = 1, .padding = 2, .abandoned = 3}));
        QCOMPARE(run.useful_output_tokens, 4);
        QCOMPARE(run.e2el_s.n, 1);
        QCOMPARE(run.itl_s.n, 3);
    }

    // A prefill held from prediction is step 1 of its row, as if read there: same figures as a row that
    // reads.
    void heldPrefillCountsAsItsRowsFirstStep()
    {
        LogBuilder builder(runOf(1, 1));
        builder.arrive(0, 0);
        builder.batch({{0, 3}}, k_even);
        EventLog log = builder.finish();
        const RunMetrics read = computeMetrics(log, std::nullopt);
        for (Event& event : log) {
            if (auto* formed = std::get_if<BatchFormed>(&event.body)) formed->rows[0].held_prefill = true;
            if (auto* steps = std::get_if<Steps>(&event.body))
                for (PromptRead& prompt : steps->reads)
                    prompt.tokens = 0;
        }
        QVERIFY(computeMetrics(log, std::nullopt) == read);
    }

    // A prompt read in two chunks, a stalled pass, two tokens, then the end: chunk 1, stalled 1, useful 2 +
    // end 1 (the completing read yields the first token). Continuous mode has no batches and its row leaves
    // at once.
    void chunksAndStallsAreKindsOfTheirOwn()
    {
        LogBuilder builder(runOf(1, 2));
        builder.arrive(0, 0, 20);
        BatchFormed formed;
        formed.kind = BatchKind::Continuous;
        RowStart row;
        row.prompt_tokens = 20;
        row.limit_steps = 512;
        formed.rows.push_back(row);
        builder.add(formed);
        Steps chunk;
        chunk.first_step = 1;
        chunk.count = 1;
        chunk.first_ps = k_pass;
        chunk.reads.push_back({0, 15, false});
        builder.at(1 * k_second).add(chunk);
        Steps stall;
        stall.first_step = 2;
        stall.count = 1;
        stall.start_ns = 1 * k_second;
        stall.start_ps = k_pass;
        stall.first_ps = k_pass;
        stall.stalled.push_back(0);
        builder.at(2 * k_second).add(stall);
        Steps rest;
        rest.first_step = 3;
        rest.count = 3;
        rest.start_ns = 2 * k_second;
        rest.start_ps = 2 * k_pass;
        rest.first_ps = k_pass;
        rest.reads.push_back({0, 5, true});
        builder.at(5 * k_second).add(rest);
        builder.add(RowEnded{0, 0, 0, 0, RowEnd::Eos, 2, 5});
        const EventLog& log = builder.finish();
        const RunMetrics run = computeMetrics(log, std::nullopt);
        QCOMPARE(run.steps, (StepKinds{.useful = 2, .end = 1, .chunk = 1, .stalled = 1}));
        QVERIFY(!run.batches);
        QCOMPARE(run.decode_steps, 5);
        QVERIFY(close(run.ttft_s.mean, 3));
        QVERIFY(close(run.e2el_s.mean, 5));
        QVERIFY(close(run.itl_s.mean, 1));
        QVERIFY(close(run.average_length, 5)); // passes while it was resident
        QVERIFY(close(run.prefill_padding_waste, 0));
    }

    // An attempt that is thrown away takes the chunks it read with it; what it stalled was no work.
    void abandonedAttemptsLoseTheirChunks()
    {
        LogBuilder builder(runOf(1, 1));
        builder.arrive(0, 0, 20);
        BatchFormed formed;
        RowStart row;
        row.prompt_tokens = 20;
        row.limit_steps = 4;
        row.limit_is_cap = false;
        formed.rows.push_back(row);
        builder.add(formed);
        Steps chunk; // one chunk, then two passes stalled
        chunk.count = 3;
        chunk.first_ps = k_pass;
        chunk.reads.push_back({0, 15, false});
        builder.at(3 * k_second).add(chunk);
        Steps rest; // the first token and another
        rest.first_step = 4;
        rest.count = 2;
        rest.start_ns = 3 * k_second;
        rest.start_ps = 3 * k_pass;
        rest.first_ps = k_pass;
        rest.reads.push_back({0, 5, true});
        builder.at(5 * k_second).add(rest);
        builder.add(RowEnded{0, 0, 0, 0, RowEnd::Limit, 2, 5});
        QCOMPARE(computeMetrics(builder.log(), std::nullopt).steps,
                 (StepKinds{.useful = 2, .chunk = 1, .stalled = 2}));
        builder.abandon(0, 0, 2);
        const RunMetrics run = computeMetrics(builder.log(), std::nullopt);
        QCOMPARE(run.steps, (StepKinds{.abandoned = 3, .stalled = 2}));
        PaddingMap map;
        map.append(builder.log());
        QCOMPARE(map.total(StepKind::Abandoned), 3);
        QCOMPARE(map.total(StepKind::Chunk), 0);
        QCOMPARE(map.total(StepKind::Stalled), 2);
        QCOMPARE(map.total(StepKind::Useful), 0);
    }
};

BATCHSCOPE_TEST(MetricsBatchesTest)
#include "metrics_batches_test.moc"
