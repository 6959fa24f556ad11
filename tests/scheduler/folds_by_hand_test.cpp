// SPDX-License-Identifier: GPL-3.0-or-later
// Padding map, queue view and throughput strip of runs small enough to draw on paper.
#include "scheduler/folds/padding_map.h"
#include "scheduler/folds/queue_view.h"
#include "scheduler/folds/throughput.h"
#include "tests/support/log_builder.h"
#include "tests/support/simulated_run.h"
#include "tests/support/test_main.h"
#include "tests/support/workloads.h"

using namespace batchscope;
using namespace batchscope::tests;

namespace {

constexpr Picos k_pass = 1'000'000'000'000; // 1 s in picoseconds
constexpr PassTimes k_even{k_pass, k_pass, 0};

// u useful, e end, p padding, a abandoned, c chunk, s stalled, '.' idle; one line a slot.
std::string drawn(const PaddingMap& map)
{
    std::string text;
    for (std::uint32_t slot = 0; slot < map.slotCount(); ++slot) {
        for (std::int64_t step = 0; step < map.steps(); ++step) {
            const PaddingPiece* piece = map.at(slot, step);
            text += piece ? stepKindName(piece->kind).front() : '.';
        }
        text += '\n';
    }
    return text;
}

QString lined(const std::string& text)
{
    return QString::fromStdString(text);
}

QueueView queueOf(const Strategy& strategy)
{
    return QueueView(queueRulesOf(strategy, Registry::withBuiltinParts()));
}

// Two rows of 2 and 4 tokens, the second cut at 4 by its limit and run again to 5.
LogBuilder fcrBuilder()
{
    LogBuilder builder(runOf(2, 3));
    builder.arrive(0, 0, 4).arrive(1, 0, 10);
    const BatchIndex first =
        builder.batch({{0, 2, RowEnd::Length, 4}, {1, 4, RowEnd::Limit, 10}}, k_even, BatchKind::Micro);
    builder.abandon(1, first, 4);
    return builder;
}

} // namespace

class FoldsByHandTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void paddingMapOfAnFcrRun()
    {
        LogBuilder builder = fcrBuilder();
        builder.batch({{1, 5, RowEnd::Length, 10, 1}}, k_even, BatchKind::Recompute);
        PaddingMap map;
        map.append(builder.finish());
        QCOMPARE(lined(drawn(map)), QString("uuepuuuuue\n"
                                            "aaaa......\n"
                                            "..........\n"));
        QCOMPARE(map.batches().size(), std::size_t{2});
        const PaddingBatch& again = map.batches()[1];
        QCOMPARE(again.first_step, 4);
        QCOMPARE(again.steps, 6);
        QCOMPARE(again.rows, 1U);
        QCOMPARE(again.start_ns, 4 * k_second);
        QCOMPARE(again.end_ns, 10 * k_second);
        QVERIFY(again.ended && again.kind == BatchKind::Recompute);
        // Prompts of 4 and 10 tokens, padded to 10, are read in step 0; the recomputed one in step 4.
        const std::vector<PromptMark> marks{{0, 0, 4, 6}, {1, 0, 10, 0}, {0, 4, 10, 0}};
        QVERIFY(map.prompts() == marks);
        QCOMPARE(map.occupied(), 14);
    }

    // Until an attempt is thrown away its steps are useful ones.
    void theMapTurnsWhenAnAttemptIsAbandoned()
    {
        LogBuilder builder(runOf(2, 2));
        builder.arrive(0, 0).arrive(1, 0);
        const BatchIndex batch = builder.batch({{0, 1}, {1, 2, RowEnd::Limit}}, k_even, BatchKind::Micro);
        PaddingMap map;
        map.append(builder.log());
        QCOMPARE(lined(drawn(map)), QString("ue\nuu\n"));
        const std::size_t seen = builder.log().size();
        builder.abandon(1, batch, 2);
        map.append(std::span(builder.log()).subspan(seen));
        QCOMPARE(lined(drawn(map)), QString("ue\naa\n"));
        QCOMPARE(map.total(StepKind::Useful), 1);
        QCOMPARE(map.total(StepKind::Abandoned), 2);
    }

    void queueInOrderOfPrediction()
    {
        LogBuilder builder(runOf(4, 1));
        builder.arrive(0, 0).at(k_second).arrive(1, k_second).arrive(2, k_second).arrive(3, k_second);
        builder.predict(0, 388).predict(1, 89).predict(2, 20);
        QueueView view = queueOf(strategyOf("s", {"grouped", {}}, "fcfs", {"oracle", {}}, "none", 512));
        view.append(builder.log());
        std::vector<RequestIndex> order;
        std::vector<int> moved;
        for (const WaitingRequest& request : view.waiting()) {
            order.push_back(request.request);
            moved.push_back(request.moved);
        }
        const std::vector<RequestIndex> expected{2, 1, 0, 3}; // nothing is predicted for r3 yet
        const std::vector<int> expected_moves{2, 0, -2, 0};
        QVERIFY(order == expected);
        QVERIFY(moved == expected_moves);
        QCOMPARE(view.size(), std::size_t{4});
        QueueView by_arrival;
        by_arrival.append(builder.log());
        const auto first = by_arrival.waiting().front();
        QCOMPARE(first.request, 0U);
        QCOMPARE(first.moved, 0);
    }

    void requestsLeaveTheQueueWhenTheirBatchFormsAndReturnWhenCollected()
    {
        LogBuilder builder(runOf(2, 3));
        QueueView view;
        builder.arrive(0, 0).arrive(1, 0);
        view.append(builder.log());
        QCOMPARE(view.size(), std::size_t{2});
        LogBuilder fcr = fcrBuilder();
        QueueView collected;
        collected.append(fcr.log());
        QCOMPARE(collected.size(), std::size_t{1});
        QCOMPARE(collected.waiting().front().request, 1U);
        QVERIFY(collected.waiting().front().recompute);
        const std::size_t seen = fcr.log().size();
        fcr.batch({{1, 5, RowEnd::Length, 10, 1}}, k_even, BatchKind::Recompute);
        collected.append(std::span(fcr.log()).subspan(seen));
        QCOMPARE(collected.size(), std::size_t{0});
    }

    void decisionsSayWhy()
    {
        LogBuilder builder(runOf(14, 2));
        builder.arrive(4, 0).arrive(12, 0).arrive(5, 0);
        builder.predict(4, 388).predict(12, 89);
        builder.at(3'100'000'000);
        Picked picked;
        picked.request = 12;
        picked.batch = 7;
        picked.rule = PickRule::Bin;
        picked.waited_ns = 3'100'000'000;
        picked.passed_over = 1;
        picked.runner_up = 4;
        picked.first_passed = 4;
        BatchFormed formed;
        formed.batch = 7;
        formed.bin = 100;
        formed.rows.push_back({});
        formed.rows.back().request = 12;
        builder.add(picked).add(formed);
        QueueView view = queueOf(strategyOf("s", {"grouped", {}}, "sjf", {"oracle", {}}, "none", 512));
        view.append(builder.log());
        QCOMPARE(view.decisions().size(), std::size_t{1});
        const Decision& decision = view.decisions().front();
        QCOMPARE(decision.number, 1);
        QCOMPARE(decision.bin, std::optional<int>(100));
        QCOMPARE(
            explain(decision),
            std::string(
                "r12 goes next into batch 7. Predicted 89 tokens, bin 100; waited 3.1 s. Its bin is smaller "
                "than that of r4. Passed over r4: predicted 388 tokens."));
        Decision other = decision;
        other.bin.reset();
        other.predicted.reset();
        other.picked.rule = PickRule::Arrival;
        other.picked.passed_over = 3;
        other.first_passed_predicted.reset();
        QCOMPARE(
            explain(other),
            std::string(
                "r12 goes next into batch 7. It waited 3.1 s. It had arrived first. Passed over 3 that had "
                "arrived earlier, the first of them r4: no prediction."));
    }

    // r0 arrives at 0 s and is served from 2 s to 6 s (3 tokens, 4 passes of 1 s, slot 0 of 2); r1 arrives at
    // 3 s and is taken in when the batch has ended. Buckets of 2 s.
    void stripOfTwoRequests()
    {
        LogBuilder builder(runOf(2, 2));
        builder.arrive(0, 0).at(2 * k_second);
        builder.batch({{0, 3}}, k_even);
        builder.add(MemorySample{0, 100, 40}).arrive(1, 3 * k_second);
        builder.wait(k_second);
        ThroughputStrip strip(2 * k_second, 100);
        strip.append(builder.finish(RunStatus::Cancelled));
        QCOMPARE(strip.end(), 7 * k_second);
        // queue: r0 waits from 0 to 2 s; r1 from 3 s on, half of the second bucket, all of the third and
        // fourth.
        const std::vector<ThroughputBucket> expected{{.useful = 0,
                                                      .padding = 0,
                                                      .abandoned = 0,
                                                      .other = 0,
                                                      .queue = 1,
                                                      .occupancy = 0,
                                                      .kv_used_bytes = 0},
                                                     {.useful = 2,
                                                      .padding = 0,
                                                      .abandoned = 0,
                                                      .other = 0,
                                                      .queue = 0.5,
                                                      .occupancy = 0.5,
                                                      .kv_used_bytes = 0},
                                                     {.useful = 1,
                                                      .padding = 0,
                                                      .abandoned = 0,
                                                      .other = 1,
                                                      .queue = 1,
                                                      .occupancy = 0.5,
                                                      .kv_used_bytes = 40},
                                                     {.useful = 0,
                                                      .padding = 0,
                                                      .abandoned = 0,
                                                      .other = 0,
                                                      .queue = 1,
                                                      .occupancy = 0,
                                                      .kv_used_bytes = 40}};
        QCOMPARE(strip.buckets().size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i)
            QVERIFY2(strip.buckets()[i] == expected[i], QByteArray::number(static_cast<int>(i)));
    }

    // Passes of the first batch end at 1, 2, 3 and 4 s; its second row's tokens turn abandoned where they
    // were credited.
    void stripCorrectsEarlierBucketsWhenAnAttemptIsAbandoned()
    {
        LogBuilder builder = fcrBuilder();
        const std::size_t before = builder.log().size() - 1; // without the abandonment
        ThroughputStrip strip(k_second, 100);
        strip.append(std::span(builder.log()).first(before));
        QCOMPARE(strip.buckets()[0].useful, 2.0);
        QCOMPARE(strip.buckets()[0].abandoned, 0.0);
        strip.append(std::span(builder.log()).subspan(before));
        for (std::size_t i = 0; i < 4; ++i)
            QCOMPARE(strip.buckets()[i].abandoned, 1.0);
        QCOMPARE(strip.buckets()[0].useful, 1.0);
        QCOMPARE(strip.buckets()[2].other, 1.0);   // r0's end of sequence
        QCOMPARE(strip.buckets()[3].padding, 1.0); // and its padding
    }

    void widthDoublesWhenTheBucketsAreFull()
    {
        LogBuilder builder(runOf(1, 1));
        builder.arrive(0, 0);
        builder.batch({{0, 99}}, k_even);
        ThroughputStrip strip(k_second, 8);
        strip.append(builder.finish());
        QCOMPARE(strip.bucketNs(), 16 * k_second); // 100 s in at most 8 buckets: 1, 2, 4, 8, 16 s
        QCOMPARE(strip.buckets().size(), std::size_t{7});
        QCOMPARE(strip.buckets()[0].useful, 16.0);
        QCOMPARE(strip.buckets()[6].useful, 3.0); // passes 97 to 99
        QCOMPARE(strip.buckets()[6].other, 1.0);
    }
};

BATCHSCOPE_TEST(FoldsByHandTest)
#include "folds_by_hand_test.moc"
