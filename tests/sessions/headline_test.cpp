// SPDX-License-Identifier: GPL-3.0-or-later
// The headline is no firmer than what it rests on, and a run that did not end is never called better or
// worse.
#include "sessions/report.h"
#include "sessions/why.h"
#include "tests/sessions/stored_samples.h"
#include "tests/support/test_main.h"

#include <tuple>

using namespace batchscope;
using namespace batchscope::sessions;
using namespace batchscope::tests;

namespace {

// A measured run of 64 requests with that many useful tokens a second.
RunRecord runOfRate(const std::string& name, double rate, std::int64_t requests = 64)
{
    RunRecord record = sampleRecord(name, requests);
    record.status = RunStatus::Completed;
    record.metrics = RunMetrics{};
    record.metrics->requests = record.metrics->completed = requests;
    record.metrics->output_token_throughput = rate;
    record.metrics->useful_output_tokens = 1000;
    return record;
}

RunRecord ended(RunRecord record, std::optional<RunStatus> status, std::int64_t completed)
{
    record.status = status;
    record.metrics->completed = completed;
    return record;
}

QString said(const std::vector<RunRecord>& runs, const Evidence& evidence = {})
{
    return QString::fromStdString(headline(runs, evidence));
}

// A measured batch of four rows whose passes take that many milliseconds.
StoredRun runOfPasses(const std::string& name, int ms, int tokens = 60)
{
    StoredRun run;
    LogBuilder builder(runOf(4, 4, Delivery::BatchEnd));
    std::vector<RowSpec> rows;
    for (RequestIndex i = 0; i < 4; ++i) {
        builder.arrive(i, 0);
        rows.push_back({i, tokens});
    }
    const Picos pass_ps = Picos{ms} * 1'000'000'000;
    builder.batch(rows, {pass_ps * 9, pass_ps, 0}, BatchKind::Static,
                  true); // the first pass reads the prompts
    run.log = builder.finish();
    run.record = sampleRecord(name, 4);
    run.record.status = RunStatus::Completed;
    run.record.metrics = computeMetrics(run.log, std::nullopt);
    return run;
}

QStringList differencesOf(const StoredRun& baseline, const StoredRun& other)
{
    QStringList lines;
    const Comparison comparison = compareRuns({baseline, other});
    for (const auto& difference : comparison.differences[1])
        lines << QString::fromStdString(difference.what + ": " + difference.baseline + " | " +
                                        difference.other);
    return lines;
}

} // namespace

class HeadlineTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aFirmDifferenceIsSaidWithItsRepetitions()
    {
        QCOMPARE(
            said({runOfRate("a", 100), runOfRate("b", 150)}),
            "b delivered 1.50 × the useful tokens a second of a (150.0 against 100.0), one repetition each.");
        Evidence evidence;
        evidence.repetitions = {runOfRate("a", 100), runOfRate("b", 150), runOfRate("a", 110),
                                runOfRate("b", 140)};
        QVERIFY(said({runOfRate("a", 100), runOfRate("b", 150)}, evidence)
                    .endsWith("; all 4 repetitions lie apart, 140.0 to 150.0 against 100.0 to 110.0."));
        // A simulation repeats to the byte: one is as good as many.
        RunRecord a = runOfRate("a", 100), b = runOfRate("b", 150);
        a.provenance = b.provenance = {};
        QVERIFY(said({a, b}).endsWith("(150.0 against 100.0)."));
    }

    void fewRequestsAreTooFewToTell()
    {
        for (const std::int64_t requests : {1, 2, 29}) {
            const QString text = said({runOfRate("a", 100, requests), runOfRate("b", 300, requests)});
            QVERIFY2(text.startsWith(QString("%1 request").arg(requests)) && text.contains("too few to tell"),
                     qPrintable(text));
        }
        QVERIFY(!said({runOfRate("a", 100, 30), runOfRate("b", 300, 30)}).contains("too few"));
    }

    void oneRepetitionWithinTheNoiseIsTooFewToTell()
    {
        QVERIFY(
            said({runOfRate("a", 100), runOfRate("b", 104)}).startsWith("One repetition is too few to tell"));
        QVERIFY(
            said({runOfRate("a", 100), runOfRate("b", 96)}).startsWith("One repetition is too few to tell"));
        QVERIFY(!said({runOfRate("a", 100), runOfRate("b", 106)}).contains("too few"));
        // Passes that took 20 % longer for no reason of the strategy's: the rate may be off by as much.
        Evidence evidence;
        evidence.pass_times = {std::nullopt, sessions::PassTimes{10, 12, 50}};
        const QString noisy = said({runOfRate("a", 100), runOfRate("b", 115)}, evidence);
        QVERIFY2(noisy.contains("too few to tell") && noisy.contains("20 %"), qPrintable(noisy));
    }

    void repetitionsThatOverlapAreTooCloseToTell()
    {
        Evidence evidence;
        evidence.repetitions = {runOfRate("a", 100), runOfRate("b", 150), runOfRate("a", 155),
                                runOfRate("b", 140)};
        const QString text = said({runOfRate("a", 100), runOfRate("b", 150)}, evidence);
        QVERIFY2(text.contains("too close to tell") && text.contains("100.0 to 155.0") &&
                     text.contains("140.0 to 150.0"),
                 qPrintable(text));
    }

    void ratesOfRunsThatAreNoContestRankNoStrategy()
    {
        const RunRecord a = runOfRate("a", 100), b = runOfRate("b", 900);
        const auto simulated = [](RunRecord record, const char* cost_model) {
            record.provenance = {};
            record.provenance.cost_model = cost_model;
            return record;
        };
        RunRecord elsewhere = b, again = runOfRate("a", 900);
        elsewhere.workload_hash = "another";
        again.name = "a #2";
        const std::vector<std::tuple<RunRecord, RunRecord, QString>> cases{
            {a, simulated(b, "vicuna"), "b is simulated with vicuna and a measured on CPU, f32, 2 threads"},
            {simulated(a, "ssjf"), simulated(b, "vicuna"),
             "b is simulated with vicuna and a simulated with ssjf"},
            {a, elsewhere, "b and a answered different requests"},
            {a, again, "a #2 and a ran the same strategy"}};
        for (const auto& [base, other, reason] : cases) {
            const QString text = said({base, other});
            QVERIFY2(text.startsWith(reason + ", so that the rates do not tell"), qPrintable(text));
        }
    }

    void aRunThatDidNotEndIsNeverRanked()
    {
        const RunRecord a = runOfRate("a", 100), b = runOfRate("b", 150);
        const RunRecord cut = ended(runOfRate("cut", 900), RunStatus::Cancelled, 3);
        const QString text = said({a, b, cut});
        QVERIFY2(text.startsWith("b delivered 1.50 ×") &&
                     text.endsWith("cut was cancelled after completing 3 of 64 requests: it is not ranked."),
                 qPrintable(text));
        for (const auto& [status, words] : std::vector<std::pair<std::optional<RunStatus>, QString>>{
                 {RunStatus::Cancelled, "was cancelled after completing 3 of 64 requests"},
                 {RunStatus::Failed, "failed after completing 3 of 64 requests"},
                 {RunStatus::Interrupted, "was interrupted after completing 3 of 64 requests"},
                 {std::nullopt, "is still running after completing 3 of 64 requests"}}) {
            const RunRecord part = ended(runOfRate("part", 900), status, 3);
            for (const QString& one : {said({a, part}), said({part, a}), said({part})})
                QVERIFY2(one.contains(words) && !one.contains("delivered"), qPrintable(one));
            const QString why = QString::fromStdString(explainRuns({a, part}) + explainRuns({part, a}));
            QVERIFY2(why.count(words) == 2 && !why.contains("delivered") && !why.contains("instead of"),
                     qPrintable(why));
        }
    }

    void nothingOfAPartIsBetterOrWorse()
    {
        StoredRun part = runOfPasses("part", 10);
        part.record.status = RunStatus::Cancelled;
        const Comparison comparison = compareRuns({runOfPasses("whole", 20), part});
        for (const auto& row : comparison.rows)
            QVERIFY2(row.cells[1].direction == 0 && row.cells[1].change.empty(), row.metric.c_str());
        QVERIFY(differencesOf(runOfPasses("whole", 20), part)
                    .contains("end: was completed | was cancelled after completing 4 of 4 requests"));
        QVERIFY(
            !QString::fromStdString(reportMarkdown({runOfPasses("whole", 20), part})).contains(", better)"));
    }

    void slowerPassesOfTheSameSizeAreListedWithBothFigures()
    {
        const QStringList slower = differencesOf(runOfPasses("a", 10), runOfPasses("b", 12));
        QCOMPARE(slower.size(), 1);
        QVERIFY2(slower[0].contains("60 passes of the same rows and context") && slower[0].contains("10 %") &&
                     slower[0].endsWith(": 10.00 ms | 12.00 ms"),
                 qPrintable(slower[0]));
        QCOMPARE(differencesOf(runOfPasses("a", 100), runOfPasses("b", 109)),
                 QStringList()); // not above 10 %
        QCOMPARE(differencesOf(runOfPasses("a", 10), runOfPasses("b", 12, 20)),
                 QStringList()); // too few passes
        StoredRun simulated = runOfPasses("c", 12);
        simulated.record.provenance.measured = false;
        for (const QString& line : differencesOf(runOfPasses("a", 10), simulated))
            QVERIFY(!line.contains("passes of the same"));
    }
};

BATCHSCOPE_TEST(HeadlineTest)
#include "headline_test.moc"
