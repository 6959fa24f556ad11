// SPDX-License-Identifier: GPL-3.0-or-later
// A prompt's tokens are the same alone and in any static batch, however it is padded and whoever has ended
// beside it.
#include "engine/model/torch_plugin.h"
#include "tests/support/engine_error.h"
#include "tests/support/random_llama.h"
#include "tests/support/stories_model.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>
#include <algorithm>

using namespace batchscope;
using namespace batchscope::engine;
using namespace batchscope::tests;

namespace {

using Prompt = std::vector<TokenId>;
constexpr int k_context = 64;

Prompt idsAlone(LanguageModel& model, const Prompt& prompt, int tokens)
{
    GenerateOptions options;
    options.max_new_tokens = tokens;
    return model.generate({prompt}, options, {}).front().ids;
}

std::vector<Generated> together(LanguageModel& model, const std::vector<Prompt>& prompts, int tokens)
{
    GenerateOptions options;
    options.max_new_tokens = tokens;
    return model.generate(prompts, options, {});
}

std::string message(const std::function<void()>& act)
{
    const auto error = engineErrorOf(act);
    return error ? error->message : "nothing was thrown";
}

} // namespace

class TorchBatching : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        BATCHSCOPE_NEED_TORCH();
        RandomLlama shape;
        shape.context = k_context;
        shape.eos = 0; // never chosen by this seed: rows run to their caps
        writeRandomLlama(folder("model"), shape);
        m_f32 = load(folder("model"), DType::F32);
        m_bf16 = load(folder("model"), DType::BF16);
    }
    void cleanupTestCase()
    {
        m_f32.reset();
        m_bf16.reset();
    }

    void positionsStartAtTheFirstRealToken() // M1
    {
        const auto positions = m_f32->positions({3, 40});
        QCOMPARE(positions.size(), std::size_t{2});
        for (std::size_t column = 0; column < 40; ++column) {
            QCOMPARE(positions[0][column], column < 37 ? -1 : static_cast<std::int64_t>(column) - 37);
            QCOMPARE(positions[1][column], static_cast<std::int64_t>(column));
        }
    }

    void paddingPastTheContextChangesNothing_data() { bothTypes(); }
    void paddingPastTheContextChangesNothing() // M1: 40 + 60 columns in a context of 64
    {
        QFETCH(bool, bf16);
        LanguageModel& model = bf16 ? *m_bf16 : *m_f32;
        Random random(7);
        const Prompt brief = randomPrompt(random, 3), lengthy = randomPrompt(random, 40);
        const auto made = together(model, {brief, lengthy}, 60);
        QCOMPARE(made[0].ids.size(), std::size_t{60});
        QCOMPARE(made[0].ids, idsAlone(model, brief, 60));
        QCOMPARE(made[1].ids.size(), std::size_t{24}); // what the context leaves
        QCOMPARE(made[1].end, RowEnd::Cap);
        QCOMPARE(made[1].ids, idsAlone(model, lengthy, 60));
    }

    void tokensAreThoseOfThePromptAloneInAnyBatch_data() { bothTypes(); }
    void tokensAreThoseOfThePromptAloneInAnyBatch()
    {
        QFETCH(bool, bf16);
        LanguageModel& model = bf16 ? *m_bf16 : *m_f32;
        Random random(20261130);
        std::vector<Prompt> prompts;
        for (int i = 0; i < 37; ++i)
            prompts.push_back(randomPrompt(random, 1 + static_cast<int>(random.below(40))));
        std::vector<Prompt> alone;
        for (const Prompt& prompt : prompts)
            alone.push_back(idsAlone(model, prompt, 24));
        for (const std::size_t rows : {2, 5, 16, 37}) { // whole and ragged tiles of the products
            for (std::size_t first = 0; first < prompts.size(); first += rows) {
                const std::size_t last = std::min(first + rows, prompts.size());
                const auto made = together(model,
                                           {prompts.begin() + static_cast<std::ptrdiff_t>(first),
                                            prompts.begin() + static_cast<std::ptrdiff_t>(last)},
                                           24);
                for (std::size_t i = first; i < last; ++i)
                    QCOMPARE(made[i - first].ids, alone[i]);
            }
        }
    }

    void endedRowsLeaveTheOthersAsTheyWere_data() { bothTypes(); }
    void endedRowsLeaveTheOthersAsTheyWere() // M3
    {
        QFETCH(bool, bf16);
        LanguageModel& model = bf16 ? *m_bf16 : *m_f32;
        Random random(3);
        const std::vector<Prompt> prompts{randomPrompt(random, 9), randomPrompt(random, 30),
                                          randomPrompt(random, 1)};
        GenerateOptions options;
        options.max_new_tokens = 30;
        options.forced_lengths = {1, std::nullopt, 2};
        const auto made = model.generate(prompts, options, {});
        QCOMPARE(made[0].end, RowEnd::Length);
        QCOMPARE(made[0].ids.size(), std::size_t{1});
        QCOMPARE(made[2].ids.size(), std::size_t{2});
        QCOMPARE(made[1].ids, idsAlone(model, prompts[1], 30));
    }

    void anEmptyPromptIsRefused() // M3
    {
        const std::string said = message([&] { together(*m_f32, {{1, 5}, {}}, 4); });
        QVERIFY2(said.find("prompt 2") != std::string::npos && said.find("empty") != std::string::npos,
                 said.c_str());
        QCOMPARE(idsAlone(*m_f32, {1, 5}, 4).size(), std::size_t{4}); // and the model goes on
    }

    void promptsBeyondTheContextAreRefusedWithTheNumbers() // M9
    {
        Random random(5);
        QCOMPARE(idsAlone(*m_f32, randomPrompt(random, k_context - 1), 8).size(), std::size_t{1});
        for (const int tokens : {k_context, k_context + 1}) {
            const std::string said = message([&] { idsAlone(*m_f32, randomPrompt(random, tokens), 8); });
            QVERIFY2(said.find(std::to_string(tokens) + " tokens") != std::string::npos, said.c_str());
            QVERIFY2(said.find("context of 64") != std::string::npos, said.c_str());
        }
        QVERIFY(message([&] {
                    idsAlone(*m_f32, {1, 256}, 8);
                }).find("vocabulary of 256") != std::string::npos);
        QVERIFY(message([&] { idsAlone(*m_f32, {1, -1}, 8); }).find("-1") != std::string::npos);
    }

    void capsAreCountedInGeneratedIds() // M12
    {
        const Prompt all = idsAlone(*m_f32, {1, 9, 17}, 8);
        for (const int cap : {1, 2}) {
            const auto made = together(*m_f32, {{1, 9, 17}}, cap);
            QCOMPARE(made.front().ids, Prompt(all.begin(), all.begin() + cap));
            QCOMPARE(made.front().end, RowEnd::Cap);
        }
        QVERIFY(message([&] { idsAlone(*m_f32, {1}, 0); }).find("at least 1") != std::string::npos);
    }

    void onlyAGeneratedEndOfSequenceEnds() // M5, M6
    {
        const Prompt prompt{1, 30, 40, 50};
        const Prompt free = idsAlone(*m_f32, prompt, 20);
        RandomLlama shape;
        shape.context = k_context;
        shape.eos = free[6];
        writeRandomLlama(folder("eos"), shape);
        const auto model = load(folder("eos"), DType::F32);
        const auto first = std::find(free.begin(), free.end(), free[6]);
        const auto made = together(*model, {prompt}, 20);
        QCOMPARE(made.front().end, RowEnd::Eos);
        QCOMPARE(made.front().ids, Prompt(free.begin(), first)); // the end itself is not counted

        const Prompt holds_end{1, free[6], 40, free[6]};
        const Prompt unended = idsAlone(*m_f32, holds_end, 1); // what a model with another end says first
        Random random(11);
        const auto batch = together(*model, {holds_end, randomPrompt(random, 33)}, 1);
        if (unended.front() == free[6])
            QVERIFY(batch.front().ids.empty());
        else
            QCOMPARE(batch.front().ids, unended);
    }

    void tiedAndSeparateHeadsDiffer()
    {
        RandomLlama shape;
        shape.tied = true;
        writeRandomLlama(folder("tied"), shape);
        const auto tied = load(folder("tied"), DType::F32);
        const auto ids = Prompt{1, 7, 8};
        QVERIFY(tied->logits(ids) != m_f32->logits(ids));
        // The head is the embedding: with both given by one tensor, doubling it by hand in a separate head is
        // the same.
        shape.change = [](std::vector<NamedTensor>& tensors) {
            NamedTensor head = tensors.front();
            head.name = "lm_head.weight";
            tensors.push_back(head);
        };
        writeRandomLlama(folder("copied"), shape);
        std::string config = readBytes(folder("copied") / "config.json");
        config.replace(config.find("\"tie_word_embeddings\":true"), 26, "\"tie_word_embeddings\":false");
        writeBytes(folder("copied") / "config.json", config);
        QCOMPARE(load(folder("copied"), DType::F32)->logits(ids), tied->logits(ids));
    }

    void aStopEndsGenerationWithWhatThereIs()
    {
        std::stop_source stop;
        GenerateOptions options;
        options.max_new_tokens = 50;
        std::size_t tokens = 0;
        options.on_token = [&](std::size_t, TokenId) {
            if (++tokens == 3) stop.request_stop();
        };
        const auto made = m_f32->generate({{1, 4}}, options, stop.get_token());
        QCOMPARE(made.front().end, RowEnd::Cancelled);
        QCOMPARE(made.front().ids.size(), std::size_t{3});
    }

private:
    std::filesystem::path folder(const char* name) const
    {
        return std::filesystem::path(m_dir.path().toStdString()) / name;
    }
    static std::unique_ptr<LanguageModel> load(const std::filesystem::path& dir, DType dtype)
    {
        LoadOptions options;
        options.model_dir = dir;
        options.dtype = dtype;
        return torchPlugin().load(options, {});
    }
    static void bothTypes()
    {
        QTest::addColumn<bool>("bf16");
        QTest::newRow("f32") << false;
        QTest::newRow("bf16") << true;
    }
    QTemporaryDir m_dir;
    std::unique_ptr<LanguageModel> m_f32, m_bf16;
};

BATCHSCOPE_TEST(TorchBatching)
#include "torch_batching_test.moc"
