// SPDX-License-Identifier: GPL-3.0-or-later
// The workload of a session document: every source, process and length mode is read, kept and can be set.
#include "sessions/error.h"
#include "sessions/session_document.h"
#include "tests/sessions/stored_samples.h"
#include "tests/support/test_main.h"

#include <cmath>

using namespace batchscope;
using namespace batchscope::sessions;
using namespace batchscope::tests;
using nlohmann::json;

namespace {

SessionDocument parsed(const char* workload)
{
    return parseSession({{"schema", "batchscope.session/1"},
                         {"backend", {{"type", "simulated"}}},
                         {"workload", json::parse(workload)},
                         {"strategies", {{{"name", "a"}, {"batching", {{"type", "static"}}}}}}},
                        registry(), "s.json");
}

QString failure(const char* workload)
{
    try {
        parsed(workload);
    } catch (const DocumentError& error) {
        return QString::fromStdString(error.what());
    }
    return {};
}

} // namespace

class WorkloadDocumentTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyWorkloadSurvivesASaveAndRuns_data()
    {
        QTest::addColumn<QString>("workload");
        const auto row = [](const char* name, const char* workload) {
            QTest::newRow(name) << QString(workload);
        };
        row("trace",
            R"({"source": {"type": "trace", "path": "a.csv", "format": "azure", "speed": 2, "time_unit": "ms",
            "zero_tokens": "clip"}, "requests": 100, "arrivals": {"process": "trace"}})");
        row("data set",
            R"({"source": {"type": "dataset", "path": "a.json", "format": "sharegpt", "turns": "all"},
            "arrivals": {"process": "poisson", "rate": 2, "exact_mean_rate": true,
                         "think_s": {"distribution": "gamma", "mean": 3, "shape": 0.25}}})");
        row("synthetic", R"({"source": {"type": "synthetic",
            "prompt_tokens": {"distribution": "lognormal", "mean": 160, "sigma": 0.8},
            "output_tokens": {"distribution": "quantiles", "points": [[0.0, 1.0], [0.5, 101.0], [1.0, 514.0]]},
            "clients": {"distribution": "zipf", "exponent": 1.1, "max": 9},
            "priorities": {"distribution": "uniform", "min": 0, "max": 2}},
            "requests": 10, "arrivals": {"process": "gamma", "rate": 4, "cv": 2, "exact_mean_rate": true}})");
        row("uniform", R"({"arrivals": {"process": "uniform", "min_gap_s": 0.1, "max_gap_s": 0.2}})");
        row("even by shape", R"({"arrivals": {"process": "gamma", "rate": 4, "shape": "inf"}})");
        row("stages", R"({"arrivals": {"process": "stages", "even_gaps": true, "stages": [
            {"duration_s": 60, "rate": 2}, {"duration_s": 30, "rate": 2, "to_rate": 8}]}})");
        row("closed loop", R"({"arrivals": {"process": "closed-loop", "clients": 8,
            "think_s": {"distribution": "normal", "mean": 2, "sd": 0.5}}})");
        row("drawn", R"({"lengths": {"mode": "drawn",
            "output_tokens": {"distribution": "uniform", "min": 75, "max": 125}}})");
    }

    void everyWorkloadSurvivesASaveAndRuns()
    {
        QFETCH(QString, workload);
        const SessionDocument document = parsed(workload.toUtf8().constData());
        QVERIFY2(document.warnings.empty(), document.warnings.empty() ? "" : document.warnings[0].c_str());
        const auto reasons = whyNotRunnable(document, registry());
        QVERIFY2(reasons.empty(), reasons.empty() ? "" : reasons[0].c_str());
        const json saved = sessionToJson(document);
        const json given = json::parse(workload.toStdString());
        for (const auto& [key, value] : given.items())
            QVERIFY2(equals(saved["workload"][key], value), saved["workload"].dump().c_str());
        QVERIFY(parseSession(saved, registry(), "s.json").workload == document.workload);
    }

    void aTraceIsReplayedWhereNothingElseIsSaid()
    {
        QCOMPARE(parsed(R"({"source": {"type": "trace", "path": "a.csv"}})").workload.arrivals.process,
                 std::string("trace"));
        QCOMPARE(parsed(R"({"source": {"type": "file", "path": "a.csv"}})").workload.arrivals.process,
                 std::string("all-at-once"));
    }

    void aBareNumberIsAFixedLength()
    {
        const auto source = parsed(R"({"source": {"type": "synthetic", "prompt_tokens": 100,
            "output_tokens": {"distribution": "gamma", "mean": 5, "cv": 2}}, "requests": 1})")
                                .workload.source;
        QCOMPARE(source.prompt_tokens->value, 100.0);
        QCOMPARE(source.output_tokens->shape, 0.25);
    }

    void unknownKeysAreStillWarnedAbout()
    {
        const SessionDocument document =
            parsed(R"({"arrivals": {"process": "gamma", "rate": 1, "cv": 2, "burst": 1},
                       "source": {"type": "synthetic", "prompt_tokens": {"distribution": "fixed", "value": 3, "mean": 2}},
                       "requests": 3, "lengths": {"mode": "fixed", "tokens": 3}})");
        QCOMPARE(document.warnings.size(), std::size_t{2});
        QVERIFY(document.warnings[0].starts_with("workload.source.prompt_tokens.mean: unknown key"));
        QVERIFY(document.warnings[1].starts_with("workload.arrivals.burst: unknown key"));
    }

    void whatCannotRunIsSaidBeforeARun()
    {
        const auto why = [](const char* workload) {
            const auto reasons = whyNotRunnable(parsed(workload), registry());
            return reasons.size() == 1 ? QString::fromStdString(reasons[0]) : QString();
        };
        QVERIFY(why(R"({"source": {"type": "synthetic", "prompt_tokens": 9, "output_tokens": 9}})")
                    .startsWith("workload.requests:"));
        QVERIFY(why(R"({"source": {"type": "synthetic", "prompt_tokens": 9}, "requests": 9})")
                    .startsWith("workload.source.output_tokens:"));
        QVERIFY(
            why(R"({"arrivals": {"process": "trace"}})").startsWith("workload.arrivals.process: \"trace\""));
    }

    void faultsNamePathValueAndExpectation_data()
    {
        QTest::addColumn<QString>("workload");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* workload, const char* message) {
            QTest::newRow(message) << QString(workload) << QString(message);
        };
        row(R"({"source": {"type": "synthetic"}})",
            "workload.source.prompt_tokens: found nothing, expected a dist");
        row(R"({"source": {"type": "synthetic", "prompt_tokens": {"distribution": "normall"}}})",
            "did you mean \"normal\"?");
        row(R"({"source": {"type": "synthetic", "prompt_tokens": {"distribution": "uniform", "min": 5, "max": 3}}})",
            "workload.source.prompt_tokens: max of the uniform distribution is 3, expected a number from 5");
        row(R"({"source": {"type": "synthetic", "prompt_tokens": {"distribution": "lognormal", "mean": 0, "sigma": 1}}})",
            "workload.source.prompt_tokens.mean: found 0, expected a number above 0");
        row(R"({"lengths": {"mode": "drawn"}})", "workload.lengths.output_tokens: found nothing");
        row(R"({"lengths": {"mode": "drawn", "output_tokens": {"distribution": "quantiles", "points": [1]}}})",
            "workload.lengths.output_tokens.points: found a list of 1, expected a list of [share, value]");
        row(R"({"source": {"type": "trace", "path": "a", "speed": 0}})", "workload.source.speed: found 0");
        row(R"({"source": {"type": "trace", "path": "a", "time_unit": "weeks"}})",
            "workload.source.time_unit: found");
        row(R"({"source": {"type": "dataset", "path": "a", "turns": "last"}})",
            "workload.source.turns: found");
        row(R"({"arrivals": {"process": "gamma", "rate": 1}})", "workload.arrivals.cv: found nothing");
        row(R"({"arrivals": {"process": "gamma", "rate": 1, "cv": 0}})",
            "workload.arrivals.cv: found 0, expected a number above 0");
        row(R"({"arrivals": {"process": "gamma", "rate": 1, "shape": -1}})",
            "workload.arrivals.shape: found -1");
        row(R"({"arrivals": {"process": "gamma", "rate": 1, "cv": 1, "shape": 1}})", "no shape beside a cv");
        row(R"({"arrivals": {"process": "gamma", "cv": 1}})", "workload.arrivals.rate: found nothing");
        row(R"({"arrivals": {"process": "uniform"}})", "workload.arrivals.rate: found nothing");
        row(R"({"arrivals": {"process": "uniform", "min_gap_s": 2, "max_gap_s": 1}})",
            "workload.arrivals.max_gap_s: found 1");
        row(R"({"arrivals": {"process": "stages"}})",
            "workload.arrivals.stages: found nothing, expected a list");
        row(R"({"arrivals": {"process": "stages", "stages": [{"rate": 1}]}})",
            "workload.arrivals.stages[0].duration_s");
        row(R"({"arrivals": {"process": "closed-loop"}})", "workload.arrivals.clients: found nothing");
        row(R"({"arrivals": {"process": "poisson", "rate": 1, "exact_mean_rate": 1}})",
            "workload.arrivals.exact_mean_rate: found 1, expected true or false");
    }

    void faultsNamePathValueAndExpectation()
    {
        QFETCH(QString, workload);
        QFETCH(QString, message);
        const QString found = failure(workload.toUtf8().constData());
        QVERIFY2(found.contains(message), qPrintable(found));
    }

    void everyKeyCanBeSet()
    {
        SessionDocument document =
            parsed(R"({"source": {"type": "synthetic", "prompt_tokens": 9, "output_tokens": 9},
                                              "requests": 9})");
        setValue(document, "workload.source.prompt_tokens.value=12", registry());
        QCOMPARE(document.workload.source.prompt_tokens->value, 12.0);
        setValue(document, R"(workload.source.output_tokens={"distribution":"uniform","min":1,"max":5})",
                 registry());
        QCOMPARE(document.workload.source.output_tokens->maximum, 5.0);
        setValue(document, "workload.arrivals.cv=2", registry()); // before the process that reads it
        setValue(document, "workload.arrivals.rate=4", registry());
        setValue(document, "workload.arrivals.process=gamma", registry());
        QCOMPARE(document.workload.arrivals.cv, std::optional<double>(2));
        QVERIFY(document.warnings.empty());
        setValue(document, R"(workload.arrivals={"process":"closed-loop","clients":3,"think_s":1.5})",
                 registry());
        setValue(document, "workload.arrivals.clients=5", registry());
        QCOMPARE(document.workload.arrivals.clients, 5);
        QCOMPARE(document.workload.arrivals.think_s->value, 1.5);
        try {
            setValue(document, "workload.arrivals.client=5", registry());
            QFAIL("accepted");
        } catch (const DocumentError& error) {
            QVERIFY(QString(error.what()).contains("workload.arrivals.clients"));
        }
    }
};

BATCHSCOPE_TEST(WorkloadDocumentTest)
#include "workload_document_test.moc"
