// SPDX-License-Identifier: GPL-3.0-or-later
// Cost model files: the presets in the box say what they claim, broken ones are refused with place and
// remedy.
#include "engine/error.h"
#include "engine/simulated/charged_predictor.h"
#include "engine/simulated/cost_model_file.h"
#include "engine/simulated/simulated_backend.h"
#include "scheduler/backend.h"
#include "tests/support/engine_error.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTemporaryDir>
#include <cmath>

using namespace batchscope;
using namespace batchscope::engine;
using namespace batchscope::tests;

namespace {

const std::filesystem::path k_presets =
    std::filesystem::path(BATCHSCOPE_SOURCE_DIR) / "resources" / "presets";

const char* const k_valid = R"({"schema": "batchscope.cost-model/1", "coefficients_ps":
    {"pass": 5, "row": 4, "context_token": 3, "prefill_token": 2, "reading_pass": 1}})";

class FixedPredictor : public LengthPredictor
{
public:
    explicit FixedPredictor(Nanos elapsed_ns) : m_elapsed_ns(elapsed_ns) {}
    PredictionKind kind() const override { return PredictionKind::Tokens; }
    PredictionCall predict(std::span<const Request* const> requests) override
    {
        return {std::vector<Prediction>(requests.size()), m_elapsed_ns};
    }

private:
    Nanos m_elapsed_ns;
};

} // namespace

class SimulatedPresetsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void presetsInTheBoxAreFoundByName()
    {
        const std::vector<std::string> expected{"ssjf",
                                                "vicuna-7b-a100",
                                                "vicuna-7b-a100-int8-roofline",
                                                "vicuna-7b-a100-paper",
                                                "vicuna-7b-a100-roofline",
                                                "vicuna-7b-a100-unfused-roofline",
                                                "vicuna-7b-h100-roofline",
                                                "vicuna-7b-h200-roofline"};
        QCOMPARE(costModelPresets(k_presets), expected);
        for (const std::string& name : expected) {
            const CostModel model = loadCostModel(name, k_presets);
            QCOMPARE(model.name, name);
            QVERIFY(!model.title.empty() && !model.basis.empty());
            QCOMPARE(model.prediction_call_ns, 0);
            QCOMPARE(model.prediction_request_ns, 0);
            QVERIFY(model == loadCostModel((k_presets / (name + ".json")).string(), "/nowhere"));
        }
    }

    // The first pass takes 0.1 s and each later one 0.02 s, whatever the rows and their context.
    void ssjfIsThePapersFormula()
    {
        const CostModel model = loadCostModel("ssjf", k_presets);
        QCOMPARE(passTime(model, {16, 16 * 300, 4800, true}), Picos{100'000'000'000});
        QCOMPARE(passTime(model, {16, 16 * 301, 0, false}), Picos{20'000'000'000});
    }

    // Fitted to the README's vanilla row: 16 requests / 1.39 requests/s in 369.84 passes. 370 passes of 16
    // rows padded to 100 tokens must give that rate to the digits printed.
    void vicunaReproducesTheRowItWasFittedTo()
    {
        const CostModel model = loadCostModel("vicuna-7b-a100", k_presets);
        Picos sum = passTime(model, {16, 16 * 100, 16 * 100, true});
        for (int pass = 2; pass <= 370; ++pass)
            sum += passTime(model, {16, 16 * (100 + pass - 1), 0, false});
        const double samples_per_s = 16.0 / (static_cast<double>(sum) / 1e12);
        QCOMPARE(QString::number(samples_per_s, 'f', 2), QString("1.39"));
        QVERIFY(model.basis.find("1.39 samples/s") != std::string::npos);
        QVERIFY(model.fit);
        QCOMPARE(model.fit->points, 1);
        QVERIFY(std::abs(std::abs(samples_per_s - 1.39) / 1.39 - model.fit->max_relative_error) < 1e-6);
        QVERIFY(model.fit->mean_relative_error <= model.fit->max_relative_error);
        QCOMPARE(model.context, 2048);
        QCOMPARE(model.kv_bytes_per_token, 2 * 32 * 4096 * 2);
        QVERIFY(!model.kv_bytes);
        QCOMPARE(model.swap_token_ps, Picos{524'288} * 1'000'000'000'000 / 32'000'000'000);
    }

    // A figure without its source is worth nothing.
    void everyPresetSaysWhereItsFiguresComeFrom()
    {
        for (const std::string& name : costModelPresets(k_presets)) {
            const CostModel model = loadCostModel(name, k_presets);
            QVERIFY(!costTerms(model).empty());
            for (const CostTerm& term : costTerms(model))
                QVERIFY2(!term.unit.empty() && !term.help.empty() && term.value > 0, term.name.c_str());
            const bool names_source =
                model.kind == CostKind::Roofline
                    ? model.basis.find("data sheet") != std::string::npos
                    : model.basis.find("arXiv") != std::string::npos || !describeFit(model).empty();
            QVERIFY2(names_source, name.c_str());
        }
    }

    void anUnknownPresetIsNamedWithThoseThatExist()
    {
        QVERIFY(refusesFile([] { loadCostModel("vicuna-13b", k_presets); },
                            {"'vicuna-13b'", "ssjf, vicuna-7b-a100, ", "presets"}));
        QVERIFY(refusesFile([] { loadCostModel("ssjf", "/no/such/folder"); },
                            {"'ssjf'", "/no/such/folder", "none found"}));
        QVERIFY(refusesFile([] { loadCostModel("/no/such/file.json", k_presets); },
                            {"/no/such/file.json", "cannot be read"}));
    }

    void brokenFilesNameThePlace_data()
    {
        QTest::addColumn<QByteArray>("from");
        QTest::addColumn<QByteArray>("to");
        QTest::addColumn<QStringList>("said");
        QTest::newRow("valid") << QByteArray() << QByteArray() << QStringList();
        QTest::newRow("cut short") << QByteArray("}}") << QByteArray("")
                                   << QStringList{"not valid JSON at byte"};
        QTest::newRow("schema") << QByteArray("cost-model/1") << QByteArray("cost-model/2")
                                << QStringList{"$.schema", "batchscope.cost-model/2",
                                               "batchscope.cost-model/1"};
        QTest::newRow("absent") << QByteArray("\"row\": 4, ") << QByteArray()
                                << QStringList{"$.coefficients_ps.row is absent"};
        QTest::newRow("negative") << QByteArray("\"row\": 4") << QByteArray("\"row\": -4")
                                  << QStringList{"$.coefficients_ps.row is -4", "integer from 0"};
        QTest::newRow("fraction") << QByteArray("\"pass\": 5") << QByteArray("\"pass\": 5.5")
                                  << QStringList{"$.coefficients_ps.pass is 5.5"};
        QTest::newRow("text") << QByteArray("\"pass\": 5") << QByteArray("\"pass\": \"5\"")
                              << QStringList{"$.coefficients_ps.pass is \"5\""};
        QTest::newRow("too large") << QByteArray("\"pass\": 5")
                                   << QByteArray("\"pass\": 99999999999999999999")
                                   << QStringList{"$.coefficients_ps.pass"};
        QTest::newRow("mistyped") << QByteArray("\"reading_pass\"") << QByteArray("\"reading_passes\"")
                                  << QStringList{"$.coefficients_ps.reading_passes", "prefill_token"};
        QTest::newRow("kind") << QByteArray("{\"schema\"") << QByteArray("{\"kind\": \"fitted\", \"schema\"")
                              << QStringList{"$.kind is \"fitted\"", "calibrated"};
        QTest::newRow("calibrated without a fit")
            << QByteArray("{\"schema\"") << QByteArray("{\"kind\": \"calibrated\", \"schema\"")
            << QStringList{"$.fit is absent", "how well it fits"};
        QTest::newRow("error as text")
            << QByteArray("{\"schema\"")
            << QByteArray("{\"kind\": \"calibrated\", \"fit\": {\"to\": \"a sweep\", \"points\": 3, "
                          "\"mean_relative_error\": \"5 %\", \"max_relative_error\": 0.1}, \"schema\"")
            << QStringList{"$.fit.mean_relative_error is \"5 %\"", "a share"};
        QTest::newRow("roofline without its kind")
            << QByteArray("{\"schema\"") << QByteArray("{\"roofline\": {}, \"schema\"")
            << QStringList{"$.roofline is {}", "\"roofline\""};
        const auto roofline = [](const char* figures) {
            return QByteArray("{\"kind\": \"roofline\", \"roofline\": ") + figures + ", \"schema\"";
        };
        QTest::newRow("figure out of range")
            << QByteArray("{\"schema\"") << roofline(R"({"device": {"memory_efficiency": 1.5}})")
            << QStringList{"$.roofline.device.memory_efficiency is 1.5", "0.001 to 1"};
        QTest::newRow("unknown figure")
            << QByteArray("{\"schema\"") << roofline(R"({"device": {"tflops": 312}})")
            << QStringList{"$.roofline.device.tflops", "peak_tflops"};
        QTest::newRow("heads") << QByteArray("{\"schema\"") << roofline(R"({"model": {"kv_heads": 5}})")
                               << QStringList{"model.kv_heads is 5", "divisor of model.heads, 32"};
        QTest::newRow("does not fit")
            << QByteArray("{\"schema\"") << roofline(R"({"device": {"memory_gb": 16}})")
            << QStringList{"13476831232 bytes", "8000000000 bytes", "larger device"};
        QTest::newRow("no object") << QByteArray("{\"schema\"") << QByteArray("{\"memory\": 3, \"schema\"")
                                   << QStringList{"$.memory is 3", "an object"};
    }

    void brokenFilesNameThePlace()
    {
        QFETCH(QByteArray, from);
        QFETCH(QByteArray, to);
        QFETCH(QStringList, said);
        QByteArray text = k_valid;
        if (!from.isEmpty()) text.replace(from, to);
        QTemporaryDir folder;
        const std::string path = folder.filePath("mine.json").toStdString();
        QFile file(QString::fromStdString(path));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
        file.close();
        if (said.isEmpty()) {
            const CostModel model = loadCostModel(path, k_presets);
            QCOMPARE(model.name, std::string("mine"));
            QCOMPARE(passTime(model, {1, 1, 1, true}), Picos{15});
            return;
        }
        std::vector<std::string> fragments{path};
        for (const QString& part : said)
            fragments.push_back(part.toStdString());
        QVERIFY(refusesFile([&] { loadCostModel(path, k_presets); }, fragments));
    }

    void aPresetsPredictionTimeStandsWhereTheSessionsIsZero()
    {
        CostModel model = loadCostModel("ssjf", k_presets);
        const Request request;
        const std::vector<const Request*> three{&request, &request, &request};
        const auto elapsed = [&](Nanos stated_ns) {
            return chargePrediction(std::make_unique<FixedPredictor>(stated_ns), model)
                ->predict(three)
                .elapsed_ns;
        };
        QCOMPARE(elapsed(0), 0);
        model.prediction_call_ns = 100;
        model.prediction_request_ns = 7;
        QCOMPARE(elapsed(0), 121);
        QCOMPARE(elapsed(50), 50);
        QVERIFY(!chargePrediction(nullptr, model));
    }
};

BATCHSCOPE_TEST(SimulatedPresetsTest)
#include "simulated_presets_test.moc"
