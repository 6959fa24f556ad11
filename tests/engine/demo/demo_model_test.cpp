// SPDX-License-Identifier: GPL-3.0-or-later
// The model in the box: its files belong to this world, and it still answers as they say.
#include "engine/checkpoint/model_folder.h"
#include "engine/demo/demo_answers.h"
#include "engine/demo/demo_training.h"
#include "engine/demo/world.h"
#include "engine/model/plugin_loader.h"
#include "tests/support/test_main.h"

#include <fstream>
#include <nlohmann/json.hpp>

using namespace batchscope::engine;

class DemoModelTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void the_folder_is_a_small_llama();
    void the_request_files_hold_the_items_of_their_splits();
    void the_held_out_file_holds_the_held_out_items();
    void recorded_lengths_suit_scheduling_experiments();
    void the_tokenizer_is_the_one_that_training_makes();
    void the_model_answers_with_its_recorded_lengths();
    void the_model_answers_held_out_instructions_rightly();
};

namespace {

const std::filesystem::path k_folder = std::filesystem::path(BATCHSCOPE_SOURCE_DIR) / "resources/models/demo";

std::vector<nlohmann::json> linesOf(const char* name)
{
    std::ifstream in(k_folder / name);
    std::vector<nlohmann::json> lines;
    for (std::string line; std::getline(in, line);)
        lines.push_back(nlohmann::json::parse(line));
    return lines;
}

void compareWithSplit(const char* file, DemoSplit split, int count)
{
    const auto lines = linesOf(file);
    const auto items = demoItems(split, count, DemoSeed);
    QCOMPARE(static_cast<int>(lines.size()), count);
    for (std::size_t i = 0; i < items.size(); ++i) {
        QCOMPARE(lines[i].at("prompt").get<std::string>(), items[i].instruction);
        QCOMPARE(lines[i].at("task").get<std::string>(), items[i].task);
        const int tokens = lines[i].at("output_tokens").get<int>();
        QVERIFY(tokens >= 1 && tokens <= 512);
    }
}

std::vector<DemoAnswer> answers(const std::vector<DemoItem>& items)
{
    LoadOptions options;
    options.model_dir = k_folder;
    options.threads = 1; // two would wait for each other where tests run in parallel
    const auto model = torchPlugin().load(options, {});
    const auto tokenizer = tokenizerPlugin().load(k_folder / "tokenizer.model");
    return answerDemoItems(*model, *tokenizer, demoTemplate(), items, {}, {});
}

} // namespace

void DemoModelTest::the_folder_is_a_small_llama()
{
    const ModelFolder folder(k_folder);
    QVERIFY(folder.parameters() >= 1'000'000 && folder.parameters() <= 4'000'000);
    QVERIFY(folder.weightBytes() <= 12'000'000);
    QVERIFY(folder.config().max_positions >= 1024);
    QCOMPARE(folder.config().system, demoTemplate().system);
    QCOMPARE(folder.config().template_name, demoTemplate().name);
    const LlamaShape shape = demoTrainingPlan().shape;
    QCOMPARE(folder.config().hidden, shape.width);
    QCOMPARE(folder.config().layers, shape.layers);
    QCOMPARE(folder.config().vocabulary, DemoVocabulary);
}

void DemoModelTest::the_request_files_hold_the_items_of_their_splits()
{
    compareWithSplit("demo_prompts.jsonl", DemoSplit::DemoPrompts, DemoPromptCount);
    compareWithSplit("predictor_train.jsonl", DemoSplit::PredictorTraining, 4000);
}

void DemoModelTest::the_held_out_file_holds_the_held_out_items()
{
    const auto lines = linesOf("held_out.jsonl");
    const auto items = demoItems(DemoSplit::HeldOut, DemoHeldOutCount, DemoSeed);
    QCOMPARE(lines.size(), items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
        QCOMPARE(lines[i].at("prompt").get<std::string>(), items[i].instruction);
        QCOMPARE(lines[i].at("answer").get<std::string>(), items[i].answer);
        QCOMPARE(lines[i].at("key").get<std::string>(), items[i].key);
    }
}

void DemoModelTest::recorded_lengths_suit_scheduling_experiments()
{
    std::vector<DemoAnswer> recorded;
    for (const auto& line : linesOf("demo_prompts.jsonl"))
        recorded.push_back({{}, {}, line.at("output_tokens").get<int>(), true, true});
    const DemoLengths lengths = measureDemoLengths(recorded, 512, 16);
    QVERIFY(lengths.median >= 60 && lengths.median <= 120);
    QVERIFY(lengths.p90 >= 220);
    QVERIFY(lengths.p99 >= 380);
    QVERIFY(lengths.at_cap_share <= 0.03);
    QVERIFY(lengths.useful_share > 0.2 && lengths.useful_share <= 0.45);
}

void DemoModelTest::the_tokenizer_is_the_one_that_training_makes()
{
    const auto tokenizer = tokenizerPlugin().load(k_folder / "tokenizer.model");
    QCOMPARE(tokenizer->vocabularySize(), DemoVocabulary);
    const TrainingSource source = demoTrainingSource(*tokenizer);
    for (std::uint64_t index = 0; index < 200; ++index) {
        const TrainingExample example = source.example(index);
        QCOMPARE(example.prompt_ids.front(), tokenizer->bos());
        QCOMPARE(example.answer_ids.back(), tokenizer->eos());
        const auto text =
            tokenizer->decode(std::span(example.answer_ids).first(example.answer_ids.size() - 1));
        QCOMPARE(text, demoItem(DemoSplit::ModelTraining, index, DemoSeed).answer);
    }
}

void DemoModelTest::the_model_answers_with_its_recorded_lengths()
{
    if (!hasPlugin("torch")) QSKIP("built without the torch plug-in (BATCHSCOPE_TORCH=OFF)");
    const auto lines = linesOf("demo_prompts.jsonl");
    const auto made = answers(demoItems(DemoSplit::DemoPrompts, 48, DemoSeed));
    for (std::size_t i = 0; i < made.size(); ++i)
        QCOMPARE(made[i].output_tokens, lines[i].at("output_tokens").get<int>());
}

void DemoModelTest::the_model_answers_held_out_instructions_rightly()
{
    if (!hasPlugin("torch")) QSKIP("built without the torch plug-in (BATCHSCOPE_TORCH=OFF)");
    const DemoScores scores = scoreDemoAnswers(answers(demoItems(DemoSplit::HeldOut, 60, DemoSeed)));
    QCOMPARE(scores.all.items, 60);
    QVERIFY2(scores.all.ended >= 58, qPrintable(QString::number(scores.all.ended)));
    QVERIFY2(scores.all.right >= 54, qPrintable(QString::number(scores.all.right)));
}

BATCHSCOPE_TEST(DemoModelTest)
#include "demo_model_test.moc"
