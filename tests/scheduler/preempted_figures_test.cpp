// SPDX-License-Identifier: GPL-3.0-or-later
// What a preemption does to the figures: it is a wait, and of whoever never goes on nothing comes.
#include "scheduler/folds/padding_map.h"
#include "scheduler/folds/throughput.h"
#include "scheduler/metrics/metrics.h"
#include "scheduler/metrics/occupancy.h"
#include "tests/support/log_builder.h"
#include "tests/support/test_main.h"

using namespace batchscope;
using namespace batchscope::tests;

namespace {

constexpr Picos k_pass = 1'000'000'000'000; // 1 s in picoseconds

} // namespace

class PreemptedFiguresTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // One slot, one second a pass. r0 reads its prompt and has 3 tokens by 3 s, when r1 takes its place until
    // 5 s; r0 goes on with its cache for 2 passes, until the run is cancelled at 8 s, a second after it was
    // preempted once more. Somebody waits from 3 s to 5 s and from 7 s on.
    void thePreemptedWaitAndOfWhoeverCannotGoOnNothingComes()
    {
        LogBuilder builder(runOf(2, 1));
        builder.arrive(0, 0).at(0);
        const auto seat = [&](RequestIndex request, int resumed_tokens) {
            RowStart row;
            row.request = request;
            row.prompt_tokens = 10;
            row.limit_steps = 512;
            row.resumed_tokens = resumed_tokens;
            BatchFormed formed;
            formed.kind = BatchKind::Continuous;
            formed.rows.push_back(row);
            builder.add(formed);
        };
        const auto pass = [&](std::uint32_t first, std::uint32_t count, bool reads) {
            Steps steps;
            steps.first_step = first;
            steps.count = count;
            steps.start_ns = builder.now();
            steps.start_ps = builder.now() * k_picos_per_nano;
            steps.first_ps = k_pass;
            if (reads) steps.reads.push_back({0, 10, true});
            builder.wait(count * k_second).add(steps);
        };
        seat(0, 0);
        pass(1, 3, true);
        builder.arrive(1, 3 * k_second).add(Preempted{0, 0, 0, 9, RequestIndex{1}, 1, true});
        seat(1, 0);
        pass(4, 2, true);
        builder.add(RowEnded{0, 0, 1, 0, RowEnd::Length, 1, 5});
        seat(0, 3);
        builder.add(Resumed{0, 0, 0, 3});
        pass(6, 2, false);
        builder.add(Preempted{0, 0, 0, 9, std::nullopt, 0, true}).wait(k_second);
        const EventLog& log = builder.finish(RunStatus::Cancelled);

        QCOMPARE(waitingTime(log, {0, 8 * k_second}), 3 * k_second);
        const RunMetrics run = computeMetrics(log, std::nullopt);
        QCOMPARE(run.preemptions, 2);
        QCOMPARE(run.steps.useful, 1); // r1's token
        QCOMPARE(run.steps.end, 1);
        QCOMPARE(run.steps.abandoned, 5);
        QCOMPARE(run.useful_output_tokens, 1);
        PaddingMap map;
        map.append(log);
        QCOMPARE(map.total(StepKind::Useful), 1);
        QCOMPARE(map.total(StepKind::Abandoned), 5);
        ThroughputStrip strip(8 * k_second, 10);
        strip.append(log);
        QCOMPARE(strip.buckets().front().abandoned, 5.0);
        QCOMPARE(strip.buckets().front().queue, 3.0 / 8);
        // Before the run has ended the tokens of whoever waits to go on may still be wanted.
        const RunMetrics so_far = computeMetrics(std::span(log).first(log.size() - 1), std::nullopt);
        QCOMPARE(so_far.steps.useful, 6);
        QCOMPARE(so_far.steps.abandoned, 0);
    }
};

BATCHSCOPE_TEST(PreemptedFiguresTest)
#include "preempted_figures_test.moc"
