// SPDX-License-Identifier: GPL-3.0-or-later
// Warm-up and steady state: everything counts at its own time, what is left out is counted (public reports
// Q7, Q8).
#include "scheduler/statistics/window.h"
#include "tests/support/log_builder.h"
#include "tests/support/simulated_run.h"
#include "tests/support/test_main.h"
#include "tests/support/workloads.h"

#include <cmath>

namespace batchscope::tests {
namespace {

// Four slots, requests of 20 tokens at an even pace: constant load.
RecordedRun constantLoad(int requests, Nanos gap_ns)
{
    std::vector<Job> jobs;
    for (int i = 0; i < requests; ++i)
        jobs.push_back({20, 4, i * gap_ns, std::nullopt});
    return runSimulated(workloadOf(jobs), strategyOf("continuous", continuousOf(4)));
}

} // namespace

class WindowFiguresTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    // Q7: tokens that a request yields after the warm-up count, though it began before: no dip at the edge.
    void constantLoadGivesTheSameRateWhereverTheWarmUpEnds()
    {
        const RecordedRun run = constantLoad(1000, 25'000'000);
        const auto whole = afterWarmUp(run.log, {});
        QVERIFY(whole);
        for (const Nanos warm_up_ns : {1'003'000'000LL, 2'000'000'000LL, 2'017'500'000LL, 5'551'000'000LL}) {
            const auto window = afterWarmUp(run.log, {.duration_ns = warm_up_ns});
            QVERIFY(window);
            QCOMPARE(window->from_ns, warm_up_ns);
            QCOMPARE(window->to_ns, whole->to_ns);
            // Cut off the tail, where nothing arrives any more.
            const WindowFigures figures = windowFigures(run.log, {window->from_ns, 24'000'000'000});
            QVERIFY2(std::abs(*figures.request_throughput - 40) < 0.1,
                     qPrintable(QString::number(*figures.request_throughput)));
            QVERIFY2(std::abs(*figures.output_token_throughput - 800) < 2,
                     qPrintable(QString::number(*figures.output_token_throughput)));
        }
    }

    void whatIsLeftOutIsCounted()
    {
        const RecordedRun run = constantLoad(100, 20'000'000); // each takes 25 ms
        const auto window = afterWarmUp(run.log, {.requests = 10});
        QVERIFY(window);
        QCOMPARE(window->from_ns, 10 * 20'000'000LL); // arrival of the 11th
        const WindowFigures figures = windowFigures(run.log, *window);
        QCOMPARE(figures.requests_before, std::int64_t{10});
        QCOMPARE(figures.requests_after, std::int64_t{0});
        QCOMPARE(figures.e2el_s.n, std::int64_t{90});
        QCOMPARE(figures.completions + figures.completions_outside, std::int64_t{100});
        // The tenth was still running: its last tokens and its completion lie in the window.
        QVERIFY(figures.completions > 90 && figures.completions < 100);
        QCOMPARE(figures.tokens + figures.tokens_outside, std::int64_t{2000});
        QVERIFY(figures.tokens > 90 * 20 && figures.tokens < 100 * 20);
        QVERIFY(!afterWarmUp(run.log, {.requests = 100}));
        QVERIFY(!afterWarmUp(run.log, {.duration_ns = 3'600 * k_second}));
    }

    void aWindowIsCutByTheWarmUpAndByTheEnd()
    {
        const RecordedRun run = constantLoad(100, 20'000'000); // arrivals end at 1.98 s
        const auto of = [&](const MeasuredPart& part) { return measuredWindow(run.log, part); };
        QVERIFY(of({{.requests = 10}, {}}) == afterWarmUp(run.log, {.requests = 10}));
        const auto inner = of({{}, TimeSpan{500'000'000, 1'500'000'000}});
        QVERIFY(inner && inner->from_ns == 500'000'000 && inner->to_ns == 1'500'000'000);
        const auto late = of({{.duration_ns = 700'000'000}, TimeSpan{500'000'000, k_no_end}});
        QVERIFY(late && late->from_ns == 700'000'000);
        QCOMPARE(late->to_ns, afterWarmUp(run.log, {})->to_ns); // no rate over an idle tail
        QVERIFY(!of({{.duration_ns = 700'000'000}, TimeSpan{0, 600'000'000}}));
        QVERIFY(!of({{}, TimeSpan{60 * k_second, k_no_end}}));
        // Both stand beside each other in the metrics: the whole is not touched.
        MetricOptions options;
        options.part = {{.requests = 10}, {}};
        const RunMetrics both = computeMetrics(run.log, options);
        RunMetrics whole = both;
        whole.window.reset();
        QCOMPARE(whole, computeMetrics(run.log, std::optional<Slo>{}));
        QVERIFY(both.window == windowFigures(run.log, *afterWarmUp(run.log, {.requests = 10})));
        QCOMPARE(findMetric("window.requests_before")->value(both), std::optional(10.0));
        QVERIFY(!findMetric("window.request_throughput")->value(whole));
        const std::string words = windowWords(*both.window);
        QVERIFY2(words.find("10 requests arrived before it") != std::string::npos, words.c_str());
    }

    void theLaterOfBothWarmUpsHolds()
    {
        const RecordedRun run = constantLoad(100, 25'000'000);
        QCOMPARE(afterWarmUp(run.log, {.requests = 10, .duration_ns = 1'000'000'000})->from_ns,
                 1'000'000'000LL);
        QCOMPARE(afterWarmUp(run.log, {.requests = 60, .duration_ns = 1'000'000'000})->from_ns,
                 60 * 25'000'000LL);
    }

    // Q8: ramp and tail pull the whole run's rate down; the steady window's is its own figure.
    void sixteenLongRequestsInBatchesOfFourHaveBothRates()
    {
        std::vector<Job> jobs;
        for (int i = 0; i < 16; ++i)
            jobs.push_back({100 + 10 * (i % 4), 4, i * 20'000'000LL, std::nullopt});
        const RecordedRun run = runSimulated(workloadOf(jobs), strategyOf("continuous", continuousOf(4)));
        const RunMetrics metrics = computeMetrics(run.log, std::optional<Slo>{});
        QVERIFY(metrics.request_throughput && metrics.steady_request_throughput);
        QVERIFY2(*metrics.steady_request_throughput > *metrics.request_throughput,
                 qPrintable(QString("%1 against %2")
                                .arg(*metrics.steady_request_throughput)
                                .arg(*metrics.request_throughput)));
        const auto window = steadyWindow(occupancyCurve(run.log));
        QVERIFY(window);
        const WindowFigures steady = windowFigures(run.log, {window->from_ns, window->to_ns + 1});
        QCOMPARE(steady.completions, std::llround(*metrics.steady_request_throughput *
                                                  toSeconds(window->to_ns - window->from_ns)));
        QVERIFY(*steady.output_token_throughput > *metrics.output_token_throughput);
        QCOMPARE(steady.requests_before + steady.requests_after + steady.e2el_s.n, std::int64_t{16});
    }

    void tokensOfThrownAwayAttemptsCountNowhere()
    {
        LogBuilder log(runOf(2, 2));
        log.arrive(0, 0).arrive(1, 0);
        const BatchIndex first = log.batch({{0, 5, RowEnd::Length}, {1, 6, RowEnd::Limit}});
        log.abandon(1, first, 6);
        log.batch({{1, 9, RowEnd::Length, 10, 1}}, {}, BatchKind::Recompute);
        const EventLog& events = log.finish();
        const WindowFigures all = windowFigures(events, *afterWarmUp(events, {}));
        QCOMPARE(all.tokens, std::int64_t{14});
        QCOMPARE(all.tokens_outside, std::int64_t{0});
        // Up to the middle: five tokens of the first batch, none of what was thrown away.
        const WindowFigures early = windowFigures(events, {0, 6'000'001});
        QCOMPARE(early.tokens, std::int64_t{5});
        QCOMPARE(early.tokens_outside, std::int64_t{9});
    }

    void cuttingSpansChangesNothing()
    {
        for (std::uint64_t seed = 1; seed <= 30; ++seed) {
            const EventLog log = randomLog(seed, 40, 4);
            const auto window = afterWarmUp(log, {.requests = 7});
            if (!window) continue;
            const TimeSpan inner{window->from_ns,
                                 window->from_ns + (window->to_ns - window->from_ns) * 2 / 3};
            QVERIFY2(windowFigures(log, inner) == windowFigures(splitSpans(log, seed), inner),
                     qPrintable(QString("seed %1").arg(seed)));
            const WindowFigures all = windowFigures(log, {0, log.back().at_ns + 1});
            QCOMPARE(all.tokens, computeMetrics(log, std::optional<Slo>{}).useful_output_tokens);
            QCOMPARE(all.tokens_outside, std::int64_t{0});
        }
    }

    void aRampIsCutOffAndAFlatStartIsNot()
    {
        std::vector<double> flat, ramp;
        Random random(2);
        for (int i = 0; i < 400; ++i) {
            const double noise = random.normal();
            flat.push_back(20 + noise);
            ramp.push_back((i < 80 ? i / 4.0 : 20) + noise);
        }
        QVERIFY(settledAfter(flat));
        QVERIFY2(*settledAfter(flat) <= 40, qPrintable(QString::number(*settledAfter(flat))));
        const auto cut = settledAfter(ramp);
        QVERIFY(cut);
        QVERIFY2(*cut >= 60 && *cut <= 110, qPrintable(QString::number(*cut)));
        QVERIFY(!settledAfter(std::span(ramp).first(45)));
        std::vector<double> climbing;
        for (int i = 0; i < 400; ++i)
            climbing.push_back(i);
        QVERIFY(!settledAfter(climbing)); // a queue that never stops growing has no steady state
    }

    void aRunThatNeverFillsItsSlotsHasASettledWindow()
    {
        const RecordedRun run = constantLoad(200, 25'000'000);
        QVERIFY(!steadyWindow(occupancyCurve(run.log)));
        const auto window = settledWindow(run.log);
        QVERIFY(window);
        QCOMPARE(window->to_ns, 199 * 25'000'000LL);
        QVERIFY(std::abs(*windowFigures(run.log, *window).request_throughput - 40) < 0.5);
        std::vector<Job> at_once(100, Job{20, 4, 0, std::nullopt});
        QVERIFY(
            !settledWindow(runSimulated(workloadOf(at_once), strategyOf("continuous", continuousOf(4))).log));
    }
};

BATCHSCOPE_TEST(WindowFiguresTest)

} // namespace batchscope::tests

#include "window_figures_test.moc"
