// SPDX-License-Identifier: GPL-3.0-or-later
// The worked checks of design/metrics.md, and what a run without data shows.
#include "scheduler/metrics/metrics.h"
#include "tests/support/log_builder.h"
#include "tests/support/simulated_run.h"
#include "tests/support/test_main.h"
#include "tests/support/workloads.h"

#include <cmath>
#include <numeric>

using namespace batchscope;
using namespace batchscope::tests;

namespace {

constexpr Picos k_ms = 1'000'000'000; // in picoseconds

bool close(std::optional<double> value, double expected, double tolerance = 1e-12)
{
    if (!value || std::abs(*value - expected) > tolerance) {
        qWarning("found %.15g, expected %.15g", value.value_or(std::nan("")), expected);
        return false;
    }
    return true;
}

} // namespace

class MetricsWorkedChecksTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // TTFT 0.5 s, E2E 2.5 s, 101 tokens -> TPOT 2.0 s / 100 = 20 ms, incl. 2.5 s / 101 = 24.752 ms. The row
    // stops at a cap of 101, so that its last token is its last pass.
    void tpotLeavesTheFirstTokenOutAndTpotInclDoesNot()
    {
        LogBuilder builder(runOf(1, 1));
        builder.arrive(0, 0);
        builder.batch({{0, 101, RowEnd::Cap}}, {500 * k_ms, 20 * k_ms, 0});
        const RunMetrics run = computeMetrics(builder.finish(), std::nullopt);
        QVERIFY(close(run.ttft_s.mean, 0.5));
        QVERIFY(close(run.e2el_s.mean, 2.5));
        QVERIFY(close(run.tpot_s.mean, 0.020));
        QVERIFY(close(run.tpot_incl_s.mean, 2.5 / 101));
        QCOMPARE(QString::number(*run.tpot_incl_s.mean * 1000, 'f', 3), QString("24.752"));
    }

    // Two requests: a gap of 1 s over 2 tokens; 10 s over 501 tokens. TPOT: 1 s and 10 s / 500 = 0.02 s, mean
    // 0.51 s. ITL pools 1 + 500 gaps: 11 s / 501 = 21.956 ms.
    void meanTpotAndPooledItlDifferByDefinition()
    {
        LogBuilder builder(runOf(2, 1));
        builder.arrive(0, 0).arrive(1, 0);
        builder.batch({{0, 2, RowEnd::Cap}}, {k_ms, 1000 * k_ms, 0});
        builder.batch({{1, 501, RowEnd::Cap}}, {k_ms, 20 * k_ms, 0});
        const RunMetrics run = computeMetrics(builder.finish(), std::nullopt);
        QVERIFY(close(run.tpot_s.mean, 0.510));
        QCOMPARE(run.itl_s.n, 501);
        QVERIFY(close(run.itl_s.mean, 11.0 / 501));
        QCOMPARE(QString::number(*run.itl_s.mean * 1000, 'f', 3), QString("21.956"));
    }

    // Public report Q1: 5 tokens have 4 gaps, and the first token's own time is none of them.
    void firstTokenIsNoGap()
    {
        LogBuilder builder(runOf(1, 1));
        builder.arrive(0, 0);
        builder.batch({{0, 5, RowEnd::Length}}, {700 * k_ms, 10 * k_ms, 2 * k_ms});
        const RunMetrics run = computeMetrics(builder.finish(), std::nullopt);
        // Passes 2...5 take 10, 12, 14, 16 ms; pass 6 yields the end of sequence and is no gap.
        QCOMPARE(run.itl_s.n, 4);
        QVERIFY(close(run.itl_s.mean, 0.013));
        QVERIFY(close(run.itl_s.p50, 0.013));
        QVERIFY(*run.itl_s.p99 < 0.0161);
        QVERIFY(close(run.ttft_s.mean, 0.7));
        // TPOT: (last token at 700 + 52 ms - first token at 700 ms) / 4
        QVERIFY(close(run.tpot_s.mean, 0.013));
        QVERIFY(close(run.e2el_s.mean, 0.770)); // completed at the end of pass 6: 700 + 52 + 18 ms
    }

    // Public report Q4: none, one, few.
    void percentilesInterpolateLinearly()
    {
        const auto upTo = [](int n) {
            std::vector<double> values(static_cast<std::size_t>(n));
            std::iota(values.begin(), values.end(), 1.0);
            std::reverse(values.begin(), values.end()); // summarize() sorts
            return summarize(values);
        };
        QVERIFY(close(upTo(1).p99, 1.0));
        QVERIFY(close(upTo(2).p99, 1.99));
        QVERIFY(close(upTo(10).p99, 9.91));
        QVERIFY(close(upTo(100).p99, 99.01));
        QVERIFY(close(upTo(10).median, 5.5));
        QVERIFY(close(upTo(10).mean, 5.5));
        QCOMPARE(upTo(10).n, 10);
        const Summary none = summarize({});
        QCOMPARE(none.n, 0);
        QVERIFY(!none.mean && !none.median && !none.p50 && !none.p90 && !none.p95 && !none.p99);
        QVERIFY(!percentile({}, 0.99));
    }

    void samplesBehindASummaryAreGiven()
    {
        LogBuilder builder(runOf(2, 2));
        builder.arrive(0, 0).arrive(1, 0);
        builder.batch({{0, 3}, {1, 1}});
        const RunMetrics run = computeMetrics(builder.finish(), std::nullopt);
        const MetricDefinition* p99 = findMetric("tpot_s.p99");
        QVERIFY(p99 && p99->samples);
        QCOMPARE(p99->samples(run), 1); // the request of one token has no TPOT
        QVERIFY(!findMetric("makespan_s")->samples);
    }

    // Public reports W6 and W11: what was asked of the server and what it was given are two figures.
    void arrivalsThatWereAchievedAndHowLateTheyWereTakenIn()
    {
        LogBuilder builder(runOf(5, 1));
        const Nanos ms = k_second / 1000;
        builder.arrive(0, 0); // at 0, 1, 1.5, 2.5 and 4 s: 4 gaps over 4 s, whatever the target was
        builder.at(k_second + 2 * ms).arrive(1, k_second);
        builder.at(2 * k_second).arrive(2, k_second + 500 * ms);
        builder.at(2 * k_second + 501 * ms).arrive(3, 2 * k_second + 500 * ms);
        builder.at(4 * k_second + 3 * ms).arrive(4, 4 * k_second);
        const RunMetrics run = computeMetrics(builder.log(), std::nullopt);
        QVERIFY(close(run.achieved_arrival_rate, 1.0));
        QCOMPARE(run.dispatch_lateness_s.n, 5); // whether they were answered or not
        QVERIFY(close(run.dispatch_lateness_s.median, 0.002));
        QVERIFY(close(run.dispatch_lateness_s.mean, (0 + 0.002 + 0.5 + 0.001 + 0.003) / 5));
        QVERIFY(findMetric("dispatch_lateness_s.median")->formula.find("hold it") != std::string::npos);

        LogBuilder at_once(runOf(2, 1));
        at_once.arrive(0, 0).arrive(1, 0);
        QVERIFY(!computeMetrics(at_once.log(), std::nullopt).achieved_arrival_rate);
        LogBuilder alone(runOf(1, 1));
        alone.arrive(0, 0);
        QVERIFY(!computeMetrics(alone.log(), std::nullopt).achieved_arrival_rate);
        QCOMPARE(computeMetrics({}, std::nullopt).dispatch_lateness_s.n, 0);
    }

    void noCompletedRequestGivesNoLatencyAndZeroThroughput()
    {
        LogBuilder builder(runOf(1, 1));
        builder.arrive(0, 0).wait(2 * k_second);
        const RunMetrics run = computeMetrics(builder.finish(RunStatus::Cancelled), Slo{});
        for (const Summary* summary : {&run.ttft_s, &run.service_ttft_s, &run.tpot_s, &run.tpot_incl_s,
                                       &run.itl_s, &run.e2el_s, &run.queueing_delay_s}) {
            QCOMPARE(summary->n, 0);
            QVERIFY(!summary->mean && !summary->p99);
        }
        QVERIFY(!run.makespan_s);
        QVERIFY(!run.effective_token_ratio && !run.effective_token_ratio_strict && !run.average_length);
        QVERIFY(!run.decode_padding_waste && !run.prefill_padding_waste);
        QVERIFY(!run.ssjf_throughput_25 && !run.steady_request_throughput && !run.max_queueing_delay_s);
        QVERIFY(close(run.request_throughput, 0.0));
        QVERIFY(close(run.output_token_throughput, 0.0));
        QVERIFY(close(run.goodput, 0.0));
        QVERIFY(close(run.queue_busy_share, 1.0)); // the one request waited all the time
        QCOMPARE(run.completed, 0);
        QCOMPARE(run.requests, 1);
    }

    // Batch 0: r0 and r1 for 2 s (1 token by a cap at 1 s and 2 tokens at 2 s), batch 1: r2 for 1 s.
    // Completed at 1, 2 and 3 s; by itself each would take as many seconds as it has tokens: slowdowns 1, 1
    // and 3. Jain's index: 5^2 / (3 * (1 + 1 + 9)) = 25 / 33.
    void slowdownAndJainsIndexByHand()
    {
        LogBuilder builder(runOf(3, 2));
        builder.arrive(0, 0).arrive(1, 0).arrive(2, 0);
        const PassTimes seconds{1000 * k_ms, 1000 * k_ms, 0};
        builder.batch({{0, 1, RowEnd::Cap}, {1, 2, RowEnd::Cap}}, seconds);
        builder.batch({{2, 1, RowEnd::Cap}}, seconds);
        const EventLog& log = builder.finish();
        MetricOptions options;
        options.service_alone = [](const RequestFigures& request) -> std::optional<Nanos> {
            return request.output_tokens * k_second;
        };
        const RunMetrics run = computeMetrics(log, options);
        QCOMPARE(run.slowdown.n, 3);
        QVERIFY(close(run.slowdown.mean, 5.0 / 3));
        QVERIFY(close(run.slowdown.median, 1.0));
        QVERIFY(close(run.slowdown.p90, 2.6)); // rank 1.8: 1 + 0.8 * 2
        QVERIFY(close(run.jains_index, 25.0 / 33));
        QVERIFY(!run.starved_requests); // nobody ages

        const RunMetrics measured = computeMetrics(log, std::nullopt); // no cost model says what alone is
        QCOMPARE(measured.slowdown, Summary{});
        QVERIFY(!measured.jains_index && !measured.starved_requests);
        RunMetrics rest = run;
        rest.slowdown = {};
        rest.jains_index = {};
        QVERIFY(rest == measured); // nothing else depends on it

        options.service_alone = [](const RequestFigures& request) -> std::optional<Nanos> {
            if (request.request == 2) return std::nullopt;
            return 0;
        };
        QCOMPARE(computeMetrics(log, options).slowdown.n, 0); // neither unknown nor nothing divides
    }

    // One at a time; each takes a second more than it has tokens (the end of sequence), so that they start
    // after 0, 4, 9 and 11 s. Past 8 s of waiting: r2 and r3.
    void waitsPastTheAgeingBoundAreStarved()
    {
        Strategy strategy = strategyOf("aged", {"none", {}}, "fcfs", {"none", {}}, "none", 100);
        engine::CostModel seconds = plainModel();
        seconds.pass_ps = 1000 * k_ms;
        seconds.prefill_token_ps = 0;
        const auto starved = [&] {
            const RecordedRun run =
                runSimulated(workloadOf({{3, 1}, {4, 1}, {1, 1}, {1, 1}}), strategy, seconds);
            return computeMetrics(run.log, metricOptions(strategy, {})).starved_requests;
        };
        QVERIFY(!starved());
        strategy.ordering.params["ageing.absolute_s"] = 8.0;
        QCOMPARE(starved(), std::optional<std::int64_t>(2));
        strategy.ordering.params["ageing.absolute_s"] = 11.0; // not past it
        QCOMPARE(starved(), std::optional<std::int64_t>(0));
    }

    // The cap cut its answer after 2 tokens: a prediction of 2, 5 or 700 is as right as can be known.
    void aPredictionBeyondACutAnswerIsNoError()
    {
        for (const int predicted : {2, 5, 700}) {
            LogBuilder builder(runOf(2, 1));
            builder.arrive(0, 0).arrive(1, 0).predict(0, predicted).predict(1, 3);
            builder.batch({{0, 2, RowEnd::Cap}});
            builder.batch({{1, 3}});
            QVERIFY(close(computeMetrics(builder.finish(), std::nullopt).prediction_error.mae, 0.0));
        }
    }

    void anEmptySpanHasNoThroughput()
    {
        LogBuilder builder(runOf(1, 1));
        builder.arrive(0, 0);
        const RunMetrics run = computeMetrics(builder.finish(RunStatus::Cancelled), std::nullopt);
        QVERIFY(!run.request_throughput && !run.output_token_throughput && !run.goodput &&
                !run.queue_busy_share);
        const RunMetrics nothing = computeMetrics({}, std::nullopt);
        QVERIFY(!nothing.request_throughput);
        QCOMPARE(nothing.requests, 0);
    }

    void aResponseOfNoTokensHasNeitherTtftNorTpot()
    {
        LogBuilder builder(runOf(1, 1));
        builder.arrive(0, 0);
        builder.batch({{0, 0, RowEnd::Eos}}, {100 * k_ms, k_ms, 0});
        const EventLog& log = builder.finish();
        const RunMetrics run = computeMetrics(log, std::nullopt);
        QCOMPARE(run.completed, 1);
        QCOMPARE(run.ttft_s.n, 0);
        QCOMPARE(run.tpot_s.n, 0);
        QVERIFY(close(run.e2el_s.mean, 0.1));
        QCOMPARE(run.steps, (StepKinds{.useful = 0, .end = 1}));
    }
};

BATCHSCOPE_TEST(MetricsWorkedChecksTest)
#include "metrics_worked_checks_test.moc"
