// SPDX-License-Identifier: GPL-3.0-or-later
// The simulator in a session file: a preset or the figures of a roofline, and what predictions cost.
#include "sessions/error.h"
#include "sessions/session_document.h"
#include "tests/sessions/stored_samples.h"
#include "tests/support/test_main.h"

using namespace batchscope;
using namespace batchscope::sessions;
using namespace batchscope::tests;
using nlohmann::json;

namespace {

SessionDocument documentOf(const json& backend)
{
    return parseSession({{"schema", "batchscope.session/1"},
                         {"backend", backend},
                         {"strategies", {{{"name", "a"}, {"batching", {{"type", "static"}, {"rows", 16}}}}}}},
                        registry(), "s.json");
}

QString failureOf(const json& backend)
{
    try {
        documentOf(backend);
    } catch (const DocumentError& error) {
        return QString::fromStdString(error.what());
    }
    return {};
}

const json k_roofline = {{"device", {{"memory_gb_per_s", 4800.0}, {"launch_us", 5.0}}},
                         {"model", {{"layers", 16}, {"bytes_per_weight", 1.0}}},
                         {"overlap", "sum"}};

} // namespace

class SimulatorDocumentTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aRooflineComesBackAsItWasWritten()
    {
        const json backend = {{"type", "simulated"},
                              {"roofline", k_roofline},
                              {"predictor_cost", {{"per_call_s", 0.005}, {"per_request_s", 0.001}}}};
        const SessionDocument document = documentOf(backend);
        QVERIFY(document.warnings.empty());
        QCOMPARE(document.backend.roofline->size(), std::size_t{5});
        QCOMPARE(std::get<std::int64_t>(document.backend.roofline->at("model.layers")), std::int64_t{16});
        QCOMPARE(document.backend.predictor_cost->per_call_s, 0.005);
        QVERIFY(sessionToJson(document)["backend"] == backend);
        QVERIFY(documentOf(sessionToJson(document)["backend"]).backend == document.backend);
    }

    void aSessionThatSaysNothingOfThemIsWrittenAsBefore()
    {
        const json backend = {{"type", "simulated"}, {"preset", "ssjf"}};
        QVERIFY(sessionToJson(documentOf(backend))["backend"] == backend);
        QVERIFY(!documentOf(backend).backend.roofline && !documentOf(backend).backend.predictor_cost);
        QVERIFY(documentOf({{"type", "simulated"}, {"roofline", json::object()}}).backend.roofline);
    }

    void whatIsWrongIsNamedWithItsPlace_data()
    {
        QTest::addColumn<QByteArray>("backend");
        QTest::addColumn<QStringList>("said");
        QTest::newRow("range") << QByteArray(R"({"roofline": {"device": {"peak_tflops": 0}}})")
                               << QStringList{"backend.roofline.device.peak_tflops: found 0", "TFLOP/s"};
        QTest::newRow("type") << QByteArray(R"({"roofline": {"model": {"layers": 2.5}}})")
                              << QStringList{"backend.roofline.model.layers: found 2.5", "whole number"};
        QTest::newRow("choice") << QByteArray(R"({"roofline": {"overlap": "som"}})")
                                << QStringList{"backend.roofline.overlap", "did you mean \"sum\""};
        QTest::newRow("section") << QByteArray(R"({"roofline": {"device": 3}})")
                                 << QStringList{"backend.roofline.device: found 3", "an object"};
        QTest::newRow("both") << QByteArray(R"({"preset": "ssjf", "roofline": {}})")
                              << QStringList{"backend.roofline", "preset"};
        QTest::newRow("cost") << QByteArray(R"({"predictor_cost": {"per_call_s": -1}})")
                              << QStringList{"backend.predictor_cost.per_call_s: found -1"};
    }

    void whatIsWrongIsNamedWithItsPlace()
    {
        QFETCH(QByteArray, backend);
        QFETCH(QStringList, said);
        json value = json::parse(backend.toStdString());
        value["type"] = "simulated";
        const QString failure = failureOf(value);
        for (const QString& part : said)
            QVERIFY2(failure.contains(part), qPrintable(failure));
    }

    void anUnknownFigureIsKeptAndWarnedAbout()
    {
        const json backend = {{"type", "simulated"}, {"roofline", {{"device", {{"memory_gbps", 900}}}}}};
        const SessionDocument document = documentOf(backend);
        QCOMPARE(document.warnings.size(), std::size_t{1});
        QVERIFY(document.warnings.front().find("backend.roofline.device.memory_gbps") != std::string::npos);
        QVERIFY(document.backend.roofline->empty());
        QVERIFY(sessionToJson(document)["backend"]["roofline"]["device"]["memory_gbps"] == 900);
    }

    void setChangesFiguresAndPresets()
    {
        SessionDocument document = documentOf({{"type", "simulated"}, {"preset", "ssjf"}});
        setValue(document, "backend.roofline.device.peak_tflops=989", registry());
        QCOMPARE(std::get<double>(document.backend.roofline->at("device.peak_tflops")), 989.0);
        QCOMPARE(costModelName(document.backend).substr(0, 21), std::string("roofline: 989 TFLOP/s"));
        setValue(document, "backend.predictor_cost.per_request_s=0.25", registry());
        QCOMPARE(document.backend.predictor_cost->per_request_s, 0.25);
        setValue(document, "backend.preset=vicuna-7b-a100", registry());
        QVERIFY(!document.backend.roofline);
        QCOMPARE(costModelName(document.backend), std::string("vicuna-7b-a100"));
    }
};

BATCHSCOPE_TEST(SimulatorDocumentTest)
#include "simulator_document_test.moc"
