// SPDX-License-Identifier: GPL-3.0-or-later
// A prompt's tokens are the same alone and in any static batch, however it is padded and whoever has ended
// beside it.
#include "tests/support/engine_error.h"
#include "tests/support/stories_model.h"
#include "tests/support/test_main.h"
#include "tests/support/torch_models.h"

#include <algorithm>

using namespace batchscope;
using namespace batchscope::engine;
using namespace batchscope::tests;

namespace {

using Prompt = std::vector<TokenId>;
constexpr int k_context = 64;

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
        m_f32 = m_models.make("model", shape);
        m_bf16 = m_models.load("model", DType::BF16);
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
        options.sampling = {1.0, 1.0, 8}; // a slip of one bit, or a NaN, would draw other tokens
        options.forced_lengths = {std::nullopt};
        const auto alone = model.generate({prompts[0]}, options, {});
        options.forced_lengths = {std::nullopt, 1, 2};
        const auto made = model.generate(prompts, options, {});
        QCOMPARE(made[1].end, RowEnd::Length);
        QCOMPARE(made[1].ids.size(), std::size_t{1});
        QCOMPARE(made[2].ids.size(), std::size_t{2});
        QCOMPARE(made[0].ids.size(), std::size_t{30});
        QCOMPARE(made[0].ids, alone[0].ids);
    }

    void anEmptyPromptIsRefused_data() { bothTypes(); }
    void anEmptyPromptIsRefused() // M3: so that no row is all padding
    {
        QFETCH(bool, bf16);
        LanguageModel& model = bf16 ? *m_bf16 : *m_f32;
        const Prompt before = idsAlone(model, {1, 5}, 4);
        const std::string said = message([&] { together(model, {{1, 5}, {}}, 4); });
        QVERIFY2(said.find("prompt 2") != std::string::npos && said.find("empty") != std::string::npos,
                 said.c_str());
        QCOMPARE(idsAlone(model, {1, 5}, 4), before); // and the model goes on
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

    void onlyAGeneratedEndOfSequenceEnds() // M6
    {
        const Prompt prompt{1, 30, 40, 50};
        const Prompt free = idsAlone(*m_f32, prompt, 20);
        RandomLlama shape;
        shape.context = k_context;
        shape.eos = free[6];
        const auto model = m_models.make("eos", shape);
        const auto untilEnd = [&](const Prompt& ids) {
            return Prompt(ids.begin(), std::find(ids.begin(), ids.end(), shape.eos));
        };
        const auto made = together(*model, {prompt}, 20);
        QCOMPARE(made.front().end, RowEnd::Eos);
        QCOMPARE(made.front().ids, untilEnd(free)); // the end itself is not counted

        // The same weights, asked as a model with another end: what follows an end in the prompt.
        const Prompt holds_ends{1, shape.eos, 40, 9, shape.eos, 17};
        const Prompt unended = idsAlone(*m_f32, holds_ends, 20);
        QVERIFY(unended.front() != shape.eos); // else the next line shows nothing
        QCOMPARE(together(*model, {holds_ends}, 20).front().ids, untilEnd(unended));
    }

    // M5: the mask comes from lengths. Ids that others take for padding (0, the BOS this engine fills up
    // with, the end of sequence) are read like any other, wherever they stand in a padded row.
    void idsThatCouldBePaddingAreRead_data() { bothTypes(); }
    void idsThatCouldBePaddingAreRead()
    {
        QFETCH(bool, bf16);
        LanguageModel& model = bf16 ? *m_bf16 : *m_f32; // its end of sequence is 0
        Random random(11);
        const Prompt lengthy = randomPrompt(random, 40);
        for (const TokenId id : {0, 1, 2}) {
            const Prompt begins{id, id, 40, 9}, holds{1, 40, id, 9}, ends{1, 40, 9, id, id};
            for (const Prompt& prompt : {begins, holds, ends}) {
                const Prompt alone = idsAlone(model, prompt, 12);
                QCOMPARE(together(model, {prompt, lengthy}, 12).front().ids, alone);
                Prompt without = prompt;
                std::erase(without, id);
                QVERIFY2(idsAlone(model, without, 12) != alone, "the id changes nothing: it was not read");
            }
        }
    }

    void tiedAndSeparateHeadsDiffer()
    {
        RandomLlama shape;
        shape.tied = true;
        const auto tied = m_models.make("tied", shape);
        const auto ids = Prompt{1, 7, 8};
        QVERIFY(tied->logits(ids) != m_f32->logits(ids));
        // The head is the embedding: with both given by one tensor, doubling it by hand in a separate head is
        // the same.
        shape.change = [](std::vector<NamedTensor>& tensors) {
            NamedTensor head = tensors.front();
            head.name = "lm_head.weight";
            tensors.push_back(head);
        };
        const auto copied = m_models.folder("copied");
        writeRandomLlama(copied, shape);
        std::string config = readBytes(copied / "config.json");
        config.replace(config.find("\"tie_word_embeddings\":true"), 26, "\"tie_word_embeddings\":false");
        writeBytes(copied / "config.json", config);
        QCOMPARE(m_models.load("copied")->logits(ids), tied->logits(ids));
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
    static void bothTypes()
    {
        QTest::addColumn<bool>("bf16");
        QTest::newRow("f32") << false;
        QTest::newRow("bf16") << true;
    }
    TorchModels m_models;
    std::unique_ptr<LanguageModel> m_f32, m_bf16;
};

BATCHSCOPE_TEST(TorchBatching)
#include "torch_batching_test.moc"
