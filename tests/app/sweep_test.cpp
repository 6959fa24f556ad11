// SPDX-License-Identifier: GPL-3.0-or-later
// A sweep runs every point, strategy and repetition once, and the number of threads changes no byte.
#include "app/experiment/sweep.h"
#include "sessions/error.h"
#include "tests/app/app_fixtures.h"
#include "tests/support/test_main.h"

#include <set>

namespace batchscope::tests {
namespace {

using app::parseSweepAxis;
using app::Sweep;
using app::SweepOptions;
using app::SweepResult;

using Values = std::vector<std::string>;

std::string refusalOf(const std::function<void()>& action)
{
    try {
        action();
    } catch (const sessions::DocumentError& error) {
        return error.what();
    }
    return {};
}

SweepOptions gridOptions(int threads)
{
    SweepOptions options;
    options.axes = {parseSweepAxis("batching.rows=2,4,8"),
                    parseSweepAxis("workload.arrivals.rate=1.0:3.0:1.0")};
    options.repetitions = 3;
    options.metrics = {"e2el_s.mean", "output_token_throughput"};
    options.threads = threads;
    return options;
}

sessions::SessionDocument poissonSession(const Workbench& bench)
{
    bench.writeRequests("requests.jsonl", 80);
    auto document = bench.session("requests.jsonl");
    document.workload.arrivals = {"poisson", 2.0};
    return document;
}

} // namespace

class SweepTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void valuesComeAsAListOrAsARange()
    {
        QCOMPARE(parseSweepAxis("batching.rows=1,2,4").values, (Values{"1", "2", "4"}));
        QCOMPARE(parseSweepAxis("workload.arrivals.rate=0.1:1.0:0.3").values,
                 (Values{"0.1", "0.4", "0.7", "1.0"}));
        QCOMPARE(parseSweepAxis("workload.arrivals.rate=0.1:0.3:0.1").values, (Values{"0.1", "0.2", "0.3"}));
        QCOMPARE(parseSweepAxis("batching.rows=4:16:4").values, (Values{"4", "8", "12", "16"}));
        QCOMPARE(parseSweepAxis("a=[1,2],{\"b\": 1, \"c\": 2}").values,
                 (Values{"[1,2]", "{\"b\": 1, \"c\": 2}"}));
        QCOMPARE(parseSweepAxis("backend.preset=ssjf,a:b").values, (Values{"ssjf", "a:b"}));
    }

    void whatIsNoAxisIsRefusedInWords_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("says");
        QTest::newRow("no value") << "batching.rows"
                                  << "key=value";
        QTest::newRow("nothing after =") << "batching.rows="
                                         << "key=value";
        QTest::newRow("no key") << "=3"
                                << "key=value";
        QTest::newRow("an empty value") << "batching.rows=1,,2"
                                        << "value 2 is empty";
        QTest::newRow("twice") << "batching.rows=1,2,1"
                               << "there twice";
        QTest::newRow("no step") << "batching.rows=1:9:0"
                                 << "step above 0";
        QTest::newRow("backwards") << "batching.rows=9:1:2"
                                   << "not below the beginning";
        QTest::newRow("too many") << "a=0:1000:0.001"
                                  << "expected 1 to 10000";
    }

    void whatIsNoAxisIsRefusedInWords()
    {
        QFETCH(QString, text);
        QFETCH(QString, says);
        const std::string refusal = refusalOf([&] { parseSweepAxis(text.toStdString()); });
        QVERIFY2(refusal.find(says.toStdString()) != std::string::npos, refusal.c_str());
        QVERIFY2(refusal.find(text.toStdString()) != std::string::npos, refusal.c_str());
    }

    void moreRunsThanCanBeKeptAreRefusedBeforeTheGridIsMade()
    {
        const Workbench bench;
        bench.writeRequests("requests.jsonl", 4);
        SweepOptions options;
        options.axes = {parseSweepAxis("batching.rows=1:4000:1"),
                        parseSweepAxis("limits.max_new_tokens=1:1000:1")};
        const std::string refusal = refusalOf([&] { Sweep(bench.session("requests.jsonl"), options); });
        QVERIFY2(refusal.find("4000000 runs") != std::string::npos, refusal.c_str());
        QVERIFY2(refusal.find("--vary fewer") != std::string::npos, refusal.c_str());
    }

    void everyPointStrategyAndRepetitionRunsOnce()
    {
        const Workbench bench;
        const Sweep sweep(poissonSession(bench), gridOptions(2));
        QCOMPARE(sweep.runCount(), std::size_t{3 * 3 * 2 * 3});
        const SweepResult result = sweep.run({});
        QCOMPARE(result.runs.size(), sweep.runCount());
        std::set<std::tuple<std::size_t, std::size_t, int>> seen;
        for (const auto& run : result.runs) {
            QVERIFY(seen.insert({run.point, run.strategy, run.repetition}).second);
            QCOMPARE(run.seed, std::uint64_t{42} + static_cast<std::uint64_t>(run.repetition));
            QVERIFY2(run.refusal.empty(), run.refusal.c_str());
            QVERIFY(run.values.size() == 2 && run.values[0] && run.values[1]);
        }
        QCOMPARE(result.points.front(), (Values{"2", "1.0"}));
        QCOMPARE(result.points[1], (Values{"2", "2.0"}));
        QCOMPARE(result.points.back(), (Values{"8", "3.0"}));
        QCOMPARE(result.summaries.size(), std::size_t{9 * 2});
    }

    void aPointIsWhatTheSessionSetLikeThatGives()
    {
        const Workbench bench;
        SweepOptions options = gridOptions(1);
        options.repetitions = 1;
        const SweepResult swept = Sweep(poissonSession(bench), options).run({});
        auto document = poissonSession(bench);
        const Registry registry = app::fullRegistry();
        sessions::setValue(document, "batching.rows=4", registry);
        sessions::setValue(document, "workload.arrivals.rate=3.0", registry);
        app::ExperimentListener nobody;
        RunControl control;
        const auto run = app::Experiment().run(document, {}, nobody, control, {});
        for (std::size_t i = 0; i < run.runs.size(); ++i) {
            const auto& values = swept.runs[5 * 2 + i].values; // point 5 is 4 rows at 3 a second
            const auto& metrics = *run.runs[i].record.metrics;
            QCOMPARE(*values[0], *metrics.e2el_s.mean);
            QCOMPARE(*values[1], *metrics.output_token_throughput);
        }
        QVERIFY(swept.runs[5 * 2].values != swept.runs[4 * 2].values);
    }

    void oneThreadAndFourGiveTheSameBytes()
    {
        const Workbench bench;
        const auto document = poissonSession(bench);
        const SweepResult serial = Sweep(document, gridOptions(1)).run({});
        const SweepResult parallel = Sweep(document, gridOptions(4)).run({});
        QCOMPARE(app::sweepJson(parallel), app::sweepJson(serial));
        QCOMPARE(app::sweepCsv(parallel), app::sweepCsv(serial));
        QCOMPARE(app::sweepTable(parallel), app::sweepTable(serial));
        QVERIFY(app::sweepTable(serial).find("against vanilla") != std::string::npos);
        QVERIFY(app::sweepTable(serial).find("at least 6") != std::string::npos); // three repetitions are few
        const std::string csv = app::sweepCsv(serial);
        QCOMPARE(std::count(csv.begin(), csv.end(), '\n'), 54 + 1);
    }

    void theFrontierIsMarkedAndNothingOnItIsBeaten()
    {
        const Workbench bench;
        const SweepResult result = Sweep(poissonSession(bench), gridOptions(2)).run({});
        std::size_t marked = 0;
        for (const auto& one : result.summaries) {
            marked += one.is_on_frontier ? 1 : 0;
            const bool beaten = std::any_of(
                result.summaries.begin(), result.summaries.end(), [&](const app::SweepSummary& other) {
                    const auto &its = *other.figures, &mine = *one.figures;
                    return its.tokens_per_s >= mine.tokens_per_s && its.e2el_p99_s <= mine.e2el_p99_s &&
                           (its.tokens_per_s > mine.tokens_per_s || its.e2el_p99_s < mine.e2el_p99_s);
                });
            QVERIFY(!one.is_on_frontier || !beaten);
        }
        QVERIFY(marked >= 1 && marked < result.summaries.size());
        QVERIFY(app::sweepMarkdown(result).find("| Pareto |") != std::string::npos);
        QCOMPARE(Sweep::pointText(result, 1), std::string("rows 2, rate 2.0"));
    }

    void strategiesOfContinuousModeAreSweptToo()
    {
        const Workbench bench;
        bench.writeRequests("requests.jsonl", 60);
        auto document = bench.session("requests.jsonl");
        document.strategies.resize(1);
        document.strategies[0].predictor = {"oracle", {}};
        document.strategies[0].batching = {"continuous", {{"preemption", std::string("recompute")}}};
        SweepOptions options;
        options.axes = {parseSweepAxis("ordering.type=fcfs,sjf,srpt,hrrn,ljf"),
                        parseSweepAxis("batching.slots=2,6")};
        options.metrics = {"e2el_s.mean"};
        const SweepResult result = Sweep(document, options).run({});
        QCOMPARE(result.runs.size(), std::size_t{10});
        for (const auto& run : result.runs)
            QVERIFY2(run.refusal.empty(), run.refusal.c_str());
        const auto mean = [&](std::size_t point) { return *result.runs[point].values[0]; };
        QVERIFY(mean(2) < mean(0)); // shortest first waits less than first come ...
        QVERIFY(mean(0) < mean(8)); // ... and longest first more
        QVERIFY(mean(3) < mean(2)); // more slots
    }

    void theoryStandsBesideWhatItKnows()
    {
        const Workbench bench;
        auto document = poissonSession(bench);
        SweepOptions options;
        options.axes = {parseSweepAxis("batching.type=none,static"),
                        parseSweepAxis("workload.arrivals.rate=0.1,0.2")};
        options.strategies = {"vanilla"};
        options.metrics = {"queueing_delay_s.mean"};
        const SweepResult result = Sweep(document, options).run({});
        QVERIFY(result.runs[0].theory_wait_s && result.runs[1].theory_wait_s);
        QVERIFY(*result.runs[0].theory_wait_s < *result.runs[1].theory_wait_s);
        QVERIFY(!result.runs[2].theory_wait_s); // eight rows at a time
        QVERIFY2(app::sweepTable(result).find("M/G/1 wait s") != std::string::npos,
                 app::sweepTable(result).c_str());
        QVERIFY(app::sweepJson(result).find("\"theory\"") != std::string::npos);
    }

    void whatCannotRunIsTold()
    {
        const Workbench bench;
        bench.writeRequests("requests.jsonl", 40);
        const auto document = bench.session("requests.jsonl");
        SweepOptions options;
        options.axes = {parseSweepAxis("limits.kv_bytes=1,null")};
        const SweepResult result = Sweep(document, options).run({});
        QVERIFY(!result.runs[0].refusal.empty());
        QVERIFY(!result.runs[0].values[0]);
        QVERIFY(result.runs[2].refusal.empty());
        QVERIFY2(app::sweepTable(result).find("could not run") != std::string::npos,
                 app::sweepTable(result).c_str());

        const auto says = [&](SweepOptions wrong, const std::string& part) {
            const std::string refusal = refusalOf([&] { const Sweep sweep(document, std::move(wrong)); });
            return refusal.find(part) != std::string::npos;
        };
        SweepOptions mistyped;
        mistyped.axes = {parseSweepAxis("batching.row=1,2")};
        QVERIFY(says(mistyped, "--vary batching.row: no such key"));
        SweepOptions impossible;
        impossible.axes = {parseSweepAxis("batching.rows=4,0")};
        QVERIFY(says(impossible, "--vary batching.rows=0"));
        SweepOptions unknown;
        unknown.metrics = {"e2el_s.maen"};
        QVERIFY(says(unknown, "e2el_s.mean"));
        SweepOptions measured;
        measured.axes = {parseSweepAxis("backend.type=torch")};
        QVERIFY(says(measured, "simulator"));
    }

    void aStopEndsIt()
    {
        const Workbench bench;
        const Sweep sweep(poissonSession(bench), gridOptions(2));
        std::stop_source stopped;
        stopped.request_stop();
        try {
            sweep.run(stopped.get_token());
            QFAIL("a stopped sweep gave a result");
        } catch (const engine::EngineError& error) {
            QCOMPARE(error.kind(), engine::ErrorKind::Cancelled);
        }
    }
};

BATCHSCOPE_TEST(SweepTest)

} // namespace batchscope::tests

#include "sweep_test.moc"
