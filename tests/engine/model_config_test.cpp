// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checkpoint/model_config.h"

#include "tests/support/engine_error.h"
#include "tests/support/model_files.h"
#include "tests/support/test_main.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <memory>

using namespace batchscope::engine;
using namespace batchscope::tests;

class ModelConfigTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void readsEveryKey();
    void fillsInWhatAConfigurationMayLeaveOut();
    void letsTheGenerationConfigNameTheEnds();
    void readsTheFoldersOwnTemplate();
    void refusesWhatIsNotSupported_data();
    void refusesWhatIsNotSupported();
    void refusesFoldersThatAreNoModel();
    void countsTheBytesOfKeysAndValues();

private:
    // The tiny configuration with `key` set to `value` (JSON), or without it where `value` is empty.
    std::string changed(const QString& key, const QString& value) const;
    std::filesystem::path dir() const { return m_dir->path().toStdString(); }
    std::unique_ptr<QTemporaryDir> m_dir;
};

void ModelConfigTest::init()
{
    m_dir = std::make_unique<QTemporaryDir>();
    writeBytes(dir() / "config.json", tinyConfigJson());
}

std::string ModelConfigTest::changed(const QString& key, const QString& value) const
{
    QJsonObject object = QJsonDocument::fromJson(QByteArray::fromStdString(tinyConfigJson())).object();
    object.remove(key);
    QByteArray text = QJsonDocument(object).toJson(QJsonDocument::Compact);
    if (!value.isEmpty()) text.replace(text.size() - 1, 1, (",\"" + key + "\":" + value + "}").toUtf8());
    return text.toStdString();
}

void ModelConfigTest::readsEveryKey()
{
    const ModelConfig config = readModelConfig(dir());
    QCOMPARE(config.hidden, 8);
    QCOMPARE(config.intermediate, 12);
    QCOMPARE(config.layers, 1);
    QCOMPARE(config.heads, 2);
    QCOMPARE(config.kv_heads, 1);
    QCOMPARE(config.head_dim, 4);
    QCOMPARE(config.vocabulary, 300);
    QCOMPARE(config.max_positions, 64);
    QCOMPARE(config.norm_eps, 1e-5);
    QCOMPARE(config.rope_theta, 10000.0);
    QVERIFY(!config.tied_embeddings);
    QCOMPARE(config.bos, 1);
    QCOMPARE(config.eos, std::vector<std::int32_t>{2});
    QVERIFY(config.stored_dtype == DType::F32);
    QCOMPARE(config.template_name, std::string("vicuna_v1.1"));
}

void ModelConfigTest::fillsInWhatAConfigurationMayLeaveOut()
{
    writeBytes(dir() / "config.json", R"({"model_type": "llama", "hidden_size": 64, "intermediate_size": 128,
        "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 256, "rope_scaling": null,
        "rope_parameters": {"rope_type": "default", "rope_theta": 500000.0}, "dtype": "bfloat16"})");
    const ModelConfig config = readModelConfig(dir());
    QCOMPARE(config.kv_heads, 4);
    QCOMPARE(config.head_dim, 16);
    QCOMPARE(config.max_positions, 2048);
    QCOMPARE(config.norm_eps, 1e-6);
    QCOMPARE(config.rope_theta, 500000.0);
    QVERIFY(config.stored_dtype == DType::BF16);
    QVERIFY(!config.tied_embeddings);
}

void ModelConfigTest::letsTheGenerationConfigNameTheEnds()
{
    writeBytes(dir() / "generation_config.json", R"({"bos_token_id": 5, "eos_token_id": [2, 7]})");
    const ModelConfig config = readModelConfig(dir());
    QCOMPARE(config.bos, 5);
    QCOMPARE(config.eos, (std::vector<std::int32_t>{2, 7}));
    writeBytes(dir() / "generation_config.json", R"({"eos_token_id": 300})");
    QVERIFY(refusesFile([&] { readModelConfig(dir()); },
                        {"generation_config.json", "\"eos_token_id\" is 300", "from 0 to 299"}));
}

void ModelConfigTest::readsTheFoldersOwnTemplate()
{
    writeBytes(dir() / "template.json", R"({"template": "vicuna_v1.1", "system": "Be brief."})");
    const ModelConfig config = readModelConfig(dir());
    QCOMPARE(config.template_name, std::string("vicuna_v1.1"));
    QCOMPARE(config.system, std::string("Be brief."));
    writeBytes(dir() / "template.json", R"({"template": "chatml"})");
    QVERIFY(refusesFile([&] { readModelConfig(dir()); },
                        {"template.json", "\"template\" is \"chatml\"", "\"vicuna_v1.1\"", "\"none\""}));
}

void ModelConfigTest::refusesWhatIsNotSupported_data()
{
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("value"); // empty: the key is left out
    QTest::addColumn<QStringList>("said");
    const auto row = [](const char* name, const char* key, const char* value, const QStringList& said) {
        QTest::newRow(name) << QString(key) << QString(value) << said;
    };
    row("another architecture", "architectures", R"(["MistralForCausalLM"])",
        {"MistralForCausalLM", "LlamaForCausalLM"});
    row("another type", "model_type", R"("qwen2")", {"\"model_type\" is \"qwen2\""});
    row("activation", "hidden_act", R"("gelu")", {"\"hidden_act\" is \"gelu\"", "silu"});
    row("rope scaling", "rope_scaling", R"({"type": "linear", "factor": 2.0})",
        {"\"rope_scaling\"", "linear"});
    row("rope type", "rope_parameters", R"({"rope_type": "yarn"})", {"\"rope_type\" is \"yarn\""});
    row("attention bias", "attention_bias", "true", {"\"attention_bias\" is true"});
    row("mlp bias", "mlp_bias", "true", {"\"mlp_bias\" is true"});
    row("quantised", "quantization_config", R"({"bits": 4})", {"\"quantization_config\""});
    row("dtype", "torch_dtype", R"("float64")", {"\"torch_dtype\" is \"float64\"", "bfloat16"});
    row("hidden absent", "hidden_size", "", {"\"hidden_size\" is absent"});
    row("hidden no number", "hidden_size", R"("8")", {"\"hidden_size\" is \"8\"", "a whole number from 1"});
    row("hidden negative", "hidden_size", "-8", {"\"hidden_size\" is -8"});
    row("hidden broken", "hidden_size", "8.5", {"\"hidden_size\" is 8.5"});
    row("hidden huge", "hidden_size", "18446744073709551615", {"\"hidden_size\" is 18446744073709551615"});
    row("heads do not divide", "num_attention_heads", "3",
        {"\"hidden_size\" is 8", "a multiple of num_attention_heads (3)"});
    row("key/value heads do not divide", "num_key_value_heads", "3", {"\"num_key_value_heads\" is 3", "(2)"});
    row("odd head", "head_dim", "3", {"the size of a head is 3", "even"});
    row("layers", "num_hidden_layers", "0", {"\"num_hidden_layers\" is 0"});
    row("epsilon", "rms_norm_eps", "-1e-5", {"\"rms_norm_eps\" is -1e-05"});
    row("eos outside", "eos_token_id", "300", {"\"eos_token_id\" is 300", "vocab_size is 300"});
    row("eos empty", "eos_token_id", "[]", {"\"eos_token_id\" is []", "at least one"});
    row("bos negative", "bos_token_id", "-1", {"\"bos_token_id\" is -1"});
    row("tied no boolean", "tie_word_embeddings", "1", {"\"tie_word_embeddings\" is 1", "true or false"});
}

void ModelConfigTest::refusesWhatIsNotSupported()
{
    QFETCH(QString, key);
    QFETCH(QString, value);
    QFETCH(QStringList, said);
    writeBytes(dir() / "config.json", changed(key, value));
    std::vector<std::string> fragments{(dir() / "config.json").string()};
    for (const QString& each : said)
        fragments.push_back(each.toStdString());
    QVERIFY(refusesFile([&] { readModelConfig(dir()); }, fragments));
}

void ModelConfigTest::refusesFoldersThatAreNoModel()
{
    QVERIFY(refusesFile([&] { readModelConfig(dir() / "absent"); }, {"absent", "no such model folder"}));
    QVERIFY(refusesFile([&] { readModelConfig(dir() / "config.json"); },
                        {"config.json", "is a file", "JSON text"}));
    std::filesystem::create_directories(dir() / "empty");
    QVERIFY(refusesFile([&] { readModelConfig(dir() / "empty"); }, {"empty", "config.json is absent"}));
    writeBytes(dir() / "config.json", "{\"hidden_size\": 8,\n  \"layers\" 3}");
    QVERIFY(refusesFile([&] { readModelConfig(dir()); }, {"config.json", "no valid JSON", "line 2"}));
    writeBytes(dir() / "config.json", "[]");
    QVERIFY(
        refusesFile([&] { readModelConfig(dir()); }, {"config.json", "expected a JSON object, found []"}));
}

void ModelConfigTest::countsTheBytesOfKeysAndValues()
{
    const ModelConfig config = readModelConfig(dir());
    QCOMPARE(config.kvBytesPerToken(DType::F32), std::int64_t{2 * 1 * 1 * 4 * 4});
    QCOMPARE(config.kvBytesPerToken(DType::BF16), std::int64_t{2 * 1 * 1 * 4 * 2});
    for (const char* name : {"f32", "bf16", "f16"})
        QCOMPARE(dtypeName(dtypeFromName(name)), std::string(name));
    QVERIFY(refusesFile([] { dtypeFromName("int8"); }, {"int8", "f32, bf16 or f16"}));
}

BATCHSCOPE_TEST(ModelConfigTest)
#include "model_config_test.moc"
