// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checkpoint/model_folder.h"

#include "tests/support/engine_error.h"
#include "tests/support/model_files.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>
#include <algorithm>
#include <memory>

using namespace batchscope::engine;
using namespace batchscope::tests;

class ModelFolderTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void checksEveryTensorOfAWholeModel();
    void readsTheSharedPublicModel();
    void namesMissingTensors();
    void namesWrongShapesAndDtypes();
    void refusesTensorsThatWouldBeLeftOut();
    void acceptsRotaryFrequenciesAndATiedHead();
    void readsShardsWithAndWithoutAnIndex();
    void namesAbsentShards();
    void refusesOtherFormatsWithTheRemedy();
    void hashesContentsNotFiles();

private:
    std::filesystem::path dir() const { return m_dir->path().toStdString(); }
    void write(const std::vector<NamedTensor>& tensors) const
    {
        writeBytes(dir() / "model.safetensors", safetensorsBytes(tensors));
    }
    std::unique_ptr<QTemporaryDir> m_dir;
};

void ModelFolderTest::init()
{
    m_dir = std::make_unique<QTemporaryDir>();
    writeTinyModel(dir());
}

void ModelFolderTest::checksEveryTensorOfAWholeModel()
{
    const ModelFolder folder(dir());
    QCOMPARE(folder.tensors().size(), std::size_t{12});
    QCOMPARE(folder.parameters(), std::int64_t{300 * 8 * 2 + 8 * 3 + 64 * 2 + 32 * 2 + 96 * 3});
    QCOMPARE(folder.weightBytes(), folder.parameters() * 4);
    const auto& down = folder.tensor("model.layers.0.mlp.down_proj.weight");
    QCOMPARE(down.info->shape, (std::vector<std::int64_t>{8, 12}));
    float second = 0;
    std::memcpy(&second, down.bytes().data() + 4, sizeof second);
    QCOMPARE(second, 9.001F); // element 1 of the tenth tensor (model_files.h)
    QVERIFY(
        refusesFile([&] { folder.tensor("model.layers.1.mlp.down_proj.weight"); }, {"model.layers.1.mlp"}));
}

void ModelFolderTest::readsTheSharedPublicModel()
{
    const auto shared = sharedData("stories260K");
    if (!std::filesystem::exists(shared)) QSKIP("../shared/data/stories260K is absent");
    const ModelFolder folder(shared);
    QCOMPARE(folder.config().layers, 5);
    QCOMPARE(folder.config().kv_heads, 4);
    QVERIFY(folder.config().tied_embeddings);
    QCOMPARE(folder.parameters(), std::int64_t{260'032});
    QCOMPARE(folder.weightBytes(), std::int64_t{1'040'128});
}

void ModelFolderTest::namesMissingTensors()
{
    auto tensors = tinyTensors();
    std::erase_if(tensors, [](const NamedTensor& tensor) {
        return tensor.name.ends_with("k_proj.weight") || tensor.name == "lm_head.weight";
    });
    write(tensors);
    QVERIFY(refusesFile([&] { const ModelFolder folder(dir()); },
                        {dir().string(), "2 of the 12 tensors", "model.layers.0.self_attn.k_proj.weight",
                         "lm_head.weight", "Incomplete download"}));
    write({}); // case F4: readable, and then every tensor is missing
    QVERIFY(refusesFile([&] { const ModelFolder folder(dir()); }, {"12 of the 12 tensors", "and 8 more"}));
}

void ModelFolderTest::namesWrongShapesAndDtypes()
{
    auto tensors = tinyTensors();
    tensors[2].shape = {4, 16}; // q_proj, [8, 8] expected
    write(tensors);
    QVERIFY(refusesFile([&] { const ModelFolder folder(dir()); },
                        {"model.layers.0.self_attn.q_proj.weight", "[4, 16]", "expected [8, 8]"}));
    tensors = tinyTensors();
    tensors[2].dtype = "I32";
    write(tensors);
    QVERIFY(refusesFile([&] { const ModelFolder folder(dir()); },
                        {"model.layers.0.self_attn.q_proj.weight", "is I32", "F32, BF16 or F16"}));
}

void ModelFolderTest::refusesTensorsThatWouldBeLeftOut()
{
    auto tensors = tinyTensors();
    tensors.push_back(
        {"model.layers.0.self_attn.q_proj.bias", "F32", {8}, floatBytes(std::vector<float>(8))});
    write(tensors);
    QVERIFY(refusesFile([&] { const ModelFolder folder(dir()); },
                        {"model.layers.0.self_attn.q_proj.bias", "no part of the model"}));
    tensors = tinyTensors();
    tensors.push_back(
        {"model.layers.1.input_layernorm.weight", "F32", {8}, floatBytes(std::vector<float>(8))});
    write(tensors);
    QVERIFY(refusesFile([&] { const ModelFolder folder(dir()); },
                        {"model.layers.1.input_layernorm", "1 layers"}));
}

void ModelFolderTest::acceptsRotaryFrequenciesAndATiedHead()
{
    auto tensors = tinyTensors();
    tensors.push_back({"model.layers.0.self_attn.rotary_emb.inv_freq", "F32", {2}, floatBytes({1, 2})});
    write(tensors);
    const ModelFolder untied(dir());
    QCOMPARE(untied.tensors().size(), std::size_t{12});
    std::string config = tinyConfigJson();
    config.replace(config.find("\"tie_word_embeddings\": false"), 28, "\"tie_word_embeddings\": true");
    writeBytes(dir() / "config.json", config);
    const ModelFolder tied(dir());
    QCOMPARE(tied.tensors().size(), std::size_t{11});
}

// Case F7, and the index's own layout.
void ModelFolderTest::readsShardsWithAndWithoutAnIndex()
{
    const std::string whole = ModelFolder(dir()).hash();
    const auto tensors = tinyTensors();
    const auto middle = tensors.begin() + 5;
    const std::string first = safetensorsBytes(std::vector<NamedTensor>(tensors.begin(), middle));
    const std::string second = safetensorsBytes(std::vector<NamedTensor>(middle, tensors.end()));
    for (const auto& [one, two] : std::vector<std::pair<std::string, std::string>>{
             {"model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"},
             {"model.safetensors-00001-of-00002.safetensors",
              "model.safetensors-00002-of-00002.safetensors"}}) {
        m_dir = std::make_unique<QTemporaryDir>();
        writeBytes(dir() / "config.json", tinyConfigJson());
        writeBytes(dir() / one, first);
        writeBytes(dir() / two, second);
        QCOMPARE(ModelFolder(dir()).files().size(), std::size_t{2});
        std::string map;
        for (std::size_t i = 0; i < tensors.size(); ++i)
            map += (i == 0 ? "\"" : ", \"") + tensors[i].name + "\": \"" + (i < 5 ? one : two) + "\"";
        writeBytes(dir() / "model.safetensors.index.json",
                   "{\"metadata\": {}, \"weight_map\": {" + map + "}}");
        QCOMPARE(ModelFolder(dir()).hash(), whole);
    }
    m_dir = std::make_unique<QTemporaryDir>();
    writeBytes(dir() / "config.json", tinyConfigJson());
    writeBytes(dir() / "weights.safetensors", safetensorsBytes(tensors));
    writeBytes(dir() / "adapter_model.safetensors", "not read");
    QCOMPARE(ModelFolder(dir()).hash(), whole);
    writeBytes(dir() / "others.safetensors", safetensorsBytes(tensors));
    QVERIFY(refusesFile([&] { const ModelFolder folder(dir()); }, {"2 safetensors files and no index"}));
}

// Case F5.
void ModelFolderTest::namesAbsentShards()
{
    std::filesystem::remove(dir() / "model.safetensors");
    writeBytes(dir() / "model-00001-of-00003.safetensors", safetensorsBytes(tinyTensors()));
    QVERIFY(refusesFile([&] { const ModelFolder folder(dir()); },
                        {"2 of 3 weight files", "model-00002-of-00003.safetensors",
                         "model-00003-of-00003.safetensors", "Incomplete download?"}));
    writeBytes(dir() / "model.safetensors.index.json",
               R"({"weight_map": {"a": "model-00001-of-00003.safetensors", "b": "renamed.safetensors"}})");
    QVERIFY(refusesFile([&] { const ModelFolder folder(dir()); },
                        {"1 of 2 weight files", "model.safetensors.index.json", "renamed.safetensors"}));
    writeBytes(dir() / "model.safetensors.index.json",
               R"({"weight_map": {"a": "../../elsewhere.safetensors"}})");
    QVERIFY(
        refusesFile([&] { const ModelFolder folder(dir()); }, {"weight_map", "../../elsewhere.safetensors"}));
    writeBytes(dir() / "model.safetensors.index.json", R"({"weight_map": {}})");
    QVERIFY(refusesFile([&] { const ModelFolder folder(dir()); }, {"\"weight_map\" is {}"}));
}

void ModelFolderTest::refusesOtherFormatsWithTheRemedy()
{
    std::filesystem::remove(dir() / "model.safetensors");
    QVERIFY(refusesFile([&] { const ModelFolder folder(dir()); }, {dir().string(), "no weights"}));
    writeBytes(dir() / "pytorch_model.bin", "PK\x03\x04");
    QVERIFY(refusesFile([&] { const ModelFolder folder(dir()); },
                        {"pytorch_model.bin", "not supported yet", "safe_serialization"}));
    std::filesystem::rename(dir() / "pytorch_model.bin", dir() / "model.gguf");
    QVERIFY(refusesFile([&] { const ModelFolder folder(dir()); }, {"model.gguf", "llama.cpp"}));
    std::filesystem::rename(dir() / "model.gguf", dir() / "adapter_model.safetensors");
    QVERIFY(
        refusesFile([&] { const ModelFolder folder(dir()); }, {"adapter_model.safetensors", "base model"}));
}

void ModelFolderTest::hashesContentsNotFiles()
{
    const std::string original = ModelFolder(dir()).hash();
    QCOMPARE(original.size(), std::size_t{16});
    auto tensors = tinyTensors();
    std::reverse(tensors.begin(), tensors.end());
    write(tensors);
    QCOMPARE(ModelFolder(dir()).hash(), original);
    for (const std::size_t byte : {std::size_t{0}, std::size_t{5}, tensors[0].data.size() - 1}) {
        auto other = tensors;
        other[0].data[byte] = static_cast<char>(other[0].data[byte] ^ 1);
        write(other);
        QVERIFY(ModelFolder(dir()).hash() != original);
    }
    write(tensors);
    std::string config = tinyConfigJson();
    config.replace(config.find("10000.0"), 7, "20000.0");
    writeBytes(dir() / "config.json", config);
    QVERIFY(ModelFolder(dir()).hash() != original);
}

BATCHSCOPE_TEST(ModelFolderTest)
#include "model_folder_test.moc"
