// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checkpoint/inspect.h"

#include "engine/tokenizer/tokenizer.h"
#include "tests/support/engine_error.h"
#include "tests/support/model_files.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>
#include <memory>

using namespace batchscope::engine;
using namespace batchscope::tests;

class InspectTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void statesShapesBytesAndMemory();
    void describesTokenizerAndTemplate();
    void showsPredictorsAndWhetherTheyFit();
    void readsTheManifestThatItWrote();
    void readsManifestsThatSayNeitherKindNorLabel();
    void refusesBrokenManifests();
    void refusesABrokenModel();

private:
    std::filesystem::path dir() const { return m_dir->path().toStdString(); }
    std::unique_ptr<QTemporaryDir> m_dir;
};

namespace {

PredictorManifest manifestFor(const std::string& hash)
{
    PredictorManifest manifest;
    manifest.model_hash = hash;
    manifest.pooling = "mean";
    manifest.input = 8;
    manifest.hidden = {16, 4};
    manifest.target_mean = 3.25;
    manifest.target_sd = 0.1;
    manifest.cap = 64;
    manifest.trained_on = 900;
    manifest.seed = 7;
    manifest.scores = {36.5, 129.25, 0.8, 0.75, 0.9375, 100};
    return manifest;
}

bool holds(const std::string& text, const std::string& fragment)
{
    if (text.find(fragment) != std::string::npos) return true;
    qWarning("'%s' is not in:\n%s", fragment.c_str(), text.c_str());
    return false;
}

} // namespace

void InspectTest::init()
{
    m_dir = std::make_unique<QTemporaryDir>();
    writeTinyModel(dir());
}

void InspectTest::statesShapesBytesAndMemory()
{
    const ModelReport report = inspectModel(dir());
    QCOMPARE(report.parameters, std::int64_t{5304});
    QCOMPARE(report.weight_bytes, std::int64_t{21216});
    QCOMPARE(report.files.size(), std::size_t{1});
    QCOMPARE(report.files[0].tensors, std::size_t{12});
    QCOMPARE(report.memory.size(), std::size_t{2});
    const DTypeMemory& f32 = report.memory[0];
    QCOMPARE(f32.weight_bytes, std::int64_t{21216});
    QCOMPARE(f32.kv_bytes_per_token, std::int64_t{32}); // 2 x 1 layer x 1 head x 4 x 4 bytes
    QCOMPARE(f32.batches[2].rows, 16);
    QCOMPARE(f32.batches[2].kv_bytes, std::int64_t{32 * 64 * 16});
    QCOMPARE(f32.batches[2].total_bytes, std::int64_t{21216 + 32 * 64 * 16});
    QCOMPARE(report.memory[1].weight_bytes, std::int64_t{10608});
    const std::string text = inspectText(report);
    for (const char* fragment :
         {"1 layers, hidden 8, 2 heads of 4 (1 key/value), inner 12, vocabulary 300", "64 tokens",
          "5304 parameters, f32", "21.2 kB", "16 rows", "Predictors  none"})
        QVERIFY(holds(text, fragment));
    QVERIFY(holds(text, report.hash));
}

void InspectTest::describesTokenizerAndTemplate()
{
    ModelReport report = inspectModel(dir());
    QVERIFY(report.tokenizer.file.empty());
    QVERIFY(!report.template_stated);
    QVERIFY(holds(report.tokenizer.problem, "tokenizer.model: the tokenizer is absent"));
    QVERIFY(holds(inspectText(report), "Warning: " + report.tokenizer.problem));
    QVERIFY(holds(inspectText(report), "vicuna_v1.1 (assumed"));
    int i = 0;
    tokenizerPlugin().train({290, 1, dir() / "tokenizer.model"}, [&]() -> std::optional<std::string> {
        return i++ < 100 ? std::optional<std::string>("the cat sat on the mat " + std::to_string(i))
                         : std::nullopt;
    });
    writeBytes(dir() / "template.json", R"({"template": "none"})");
    report = inspectModel(dir());
    QCOMPARE(report.tokenizer.pieces.value(), 290);
    QVERIFY(report.tokenizer.problem.empty());
    QVERIFY(report.warnings.empty());
    QVERIFY(holds(inspectText(report), "290 pieces, <s> = 1, </s> = 2"));
    QVERIFY(holds(inspectText(report), "Template    none\n"));
    writeBytes(dir() / "generation_config.json", R"({"eos_token_id": 9})");
    QVERIFY(holds(inspectText(inspectModel(dir())), "is it the model's own tokenizer?"));
    writeBytes(dir() / "tokenizer.model", "<html>");
    QVERIFY(holds(inspectText(inspectModel(dir())), "no sentencepiece model"));
    QVERIFY(holds(inspectModel(dir()).tokenizer.problem, "no sentencepiece model"));
}

void InspectTest::showsPredictorsAndWhetherTheyFit()
{
    const std::string hash = inspectModel(dir()).hash;
    for (const auto& [name, of] :
         std::vector<std::pair<std::string, std::string>>{{"fits", hash}, {"other", "0123"}}) {
        writeBytes(dir() / "predictors" / name / "model.safetensors", safetensorsBytes("{}", ""));
        writePredictorManifest(dir() / "predictors" / name, manifestFor(of));
    }
    writePredictorManifest(dir() / "predictors" / "fits", manifestFor(hash));
    std::filesystem::create_directories(dir() / "predictors" / "weightless");
    writePredictorManifest(dir() / "predictors" / "weightless", manifestFor(hash));
    std::filesystem::create_directories(dir() / "predictors" / "nothing");
    const ModelReport report = inspectModel(dir());
    QCOMPARE(report.predictors.size(), std::size_t{3});
    QCOMPARE(report.predictors[0].name, std::string("fits"));
    QVERIFY(report.predictors[0].fits && report.predictors[0].problem.empty());
    QVERIFY(!report.predictors[1].fits);
    QVERIFY(holds(report.predictors[1].problem, "trained for the model 0123"));
    QVERIFY(holds(report.predictors[2].problem, "model.safetensors"));
    const std::string text = inspectText(report);
    QVERIFY(holds(text, "fits: pooled-mlp, pooling mean, MAE 36.5 tokens (constant 129.2), tau-b 0.80"));
    QVERIFY(holds(text, "Warning: Predictor other"));
}

void InspectTest::readsTheManifestThatItWrote()
{
    const PredictorManifest manifest = manifestFor("00000000deadbeef");
    writePredictorManifest(dir(), manifest);
    QVERIFY(readPredictorManifest(dir()) == manifest);
}

void InspectTest::readsManifestsThatSayNeitherKindNorLabel()
{
    writePredictorManifest(dir(), manifestFor("x"));
    std::string text = readBytes(dir() / "predictor.json");
    for (const std::string line : {"  \"kind\": \"tokens\",\n", "  \"label\": \"single\",\n"}) {
        QVERIFY(holds(text, line));
        text.erase(text.find(line), line.size());
    }
    writeBytes(dir() / "predictor.json", text);
    QVERIFY(readPredictorManifest(dir()) == manifestFor("x"));
}

void InspectTest::refusesBrokenManifests()
{
    writePredictorManifest(dir(), manifestFor("x"));
    const std::string good = readBytes(dir() / "predictor.json");
    const auto refuses = [&](const std::string& from, const std::string& to, std::vector<std::string> said) {
        std::string text = good;
        text.replace(text.find(from), from.size(), to);
        writeBytes(dir() / "predictor.json", text);
        said.emplace_back("predictor.json");
        return refusesFile([&] { readPredictorManifest(dir()); }, said);
    };
    QVERIFY(refuses("predictor/1", "predictor/2", {"\"schema\"", "predictor/2"}));
    QVERIFY(refuses("pooled-mlp", "tree", {"\"type\" is \"tree\""}));
    QVERIFY(refuses("\"tokens\"", "\"ranks\"", {"\"kind\" is \"ranks\"", "\"tokens\""}));
    QVERIFY(refuses("\"single\"", "\"largest\"", {"\"label\" is \"largest\"", "\"single\""}));
    QVERIFY(refuses("\"mean\"", "\"first\"", {"\"pooling\" is \"first\""}));
    QVERIFY(refuses("0.8,", "1.5,", {"scores", "\"kendall_tau_b\" is 1.5"}));
    QVERIFY(refuses("\"input\": 8", "\"input\": 0", {"\"input\" is 0"}));
    QVERIFY(refuses("\"target_sd\": 0.1", "\"target_sd\": 0", {"\"target_sd\" is 0"}));
    std::filesystem::remove(dir() / "predictor.json");
    QVERIFY(refusesFile([&] { readPredictorManifest(dir()); }, {"predictor.json", "No such file"}));
}

void InspectTest::refusesABrokenModel()
{
    writeBytes(dir() / "model.safetensors", "version https://git-lfs.github.com/spec/v1\n");
    QVERIFY(refusesFile([&] { inspectModel(dir()); }, {"model.safetensors", "Git LFS pointer"}));
}

BATCHSCOPE_TEST(InspectTest)
#include "inspect_test.moc"
