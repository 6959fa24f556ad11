// SPDX-License-Identifier: GPL-3.0-or-later
// The table of definitions: each figure of the result JSON has one line, with its formula.
#include "scheduler/metrics/metrics.h"
#include "tests/support/log_builder.h"
#include "tests/support/test_main.h"

#include <cmath>
#include <set>

using namespace batchscope;
using namespace batchscope::tests;

class MetricsDefinitionsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyFigureHasANameATitleAndAFormula()
    {
        std::set<std::string> names;
        for (const MetricDefinition& line : metricDefinitions()) {
            QVERIFY2(names.insert(line.name).second, line.name.c_str());
            QVERIFY2(!line.title.empty() && !line.formula.empty(), line.name.c_str());
            QVERIFY2(bool(line.value), line.name.c_str());
            QVERIFY2(line.is_share == (line.unit == "%"), line.name.c_str());
            QCOMPARE(findMetric(line.name), &line);
        }
        QVERIFY(!findMetric("no such figure"));
    }

    // Public reports M6 and Q2: where the end of sequence counts, and what a gap between tokens is, is shown.
    void formulasSayWhatIsCounted()
    {
        const auto formula = [](const char* name) {
            return QString::fromStdString(findMetric(name)->formula);
        };
        QVERIFY(formula("useful_output_tokens").contains("without the end of sequence"));
        QVERIFY(formula("shares.end").contains("end of sequence"));
        QVERIFY(formula("tpot_s.mean").contains("last"));
        QVERIFY(formula("itl_s.mean").contains("pooled"));
        QVERIFY(formula("tpot_s.mean") != formula("itl_s.mean"));
    }

    void figuresAreThere()
    {
        for (const char* name : {"requests",
                                 "completed",
                                 "failed",
                                 "achieved_arrival_rate",
                                 "dispatch_lateness_s.median",
                                 "makespan_s",
                                 "request_throughput",
                                 "output_token_throughput",
                                 "useful_output_tokens",
                                 "decode_steps",
                                 "batches",
                                 "effective_token_ratio",
                                 "effective_token_ratio_strict",
                                 "average_length",
                                 "average_length_strict",
                                 "decode_padding_waste",
                                 "prefill_padding_waste",
                                 "shares.useful",
                                 "shares.end",
                                 "shares.chunk",
                                 "shares.padding",
                                 "shares.abandoned",
                                 "shares.stalled",
                                 "rerun_requests",
                                 "rerun_ratio",
                                 "predictor_time_share",
                                 "ttft_s.mean",
                                 "tpot_s.median",
                                 "itl_s.p90",
                                 "e2el_s.p95",
                                 "queueing_delay_s.p99",
                                 "slowdown.mean",
                                 "jains_index",
                                 "starved_requests",
                                 "preemptions"})
            QVERIFY2(findMetric(name), name);
    }

    void anEmptyRunShowsNothingWhereNothingIsKnown()
    {
        const RunMetrics nothing;
        const std::set<std::string> counts{"useful_output_tokens",
                                           "decode_steps",
                                           "rerun_requests",
                                           "preemptions",
                                           "failed_predictions",
                                           "requests",
                                           "completed",
                                           "failed"};
        for (const MetricDefinition& line : metricDefinitions()) {
            const auto value = line.value(nothing);
            QVERIFY2(value.has_value() == (counts.count(line.name) > 0), line.name.c_str());
        }
    }

    void valuesAreThoseOfTheRun()
    {
        LogBuilder builder(runOf(2, 2));
        builder.arrive(0, 0).arrive(1, 0);
        builder.batch({{0, 4}, {1, 2}});
        const RunMetrics run = computeMetrics(builder.finish(), std::nullopt);
        QCOMPARE(findMetric("decode_steps")->value(run), std::optional<double>(5));
        QCOMPARE(findMetric("batches")->value(run), std::optional<double>(1));
        QCOMPARE(findMetric("shares.useful")->value(run), std::optional<double>(0.6)); // 6 of 10
        QCOMPARE(findMetric("e2el_s.p99")->value(run), run.e2el_s.p99);
        double shares = 0;
        for (const MetricDefinition& line : metricDefinitions())
            if (line.name.rfind("shares.", 0) == 0) shares += *line.value(run);
        QVERIFY(std::abs(shares - 1) < 1e-12);
    }
};

BATCHSCOPE_TEST(MetricsDefinitionsTest)
#include "metrics_definitions_test.moc"
