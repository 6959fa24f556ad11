// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizer/tokenizer.h"

#include "engine/prompt/chat_template.h"
#include "engine/tokenizer/model_tokenizer.h"
#include "tests/support/engine_error.h"
#include "tests/support/model_files.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>
#include <algorithm>
#include <thread>

using namespace batchscope::engine;
using namespace batchscope::tests;

using Ids = std::vector<TokenId>;
Q_DECLARE_METATYPE(Ids)

// The behaviour chosen is LLaMA's "legacy" one (tokenizer.h): every stretch of text, at the start and after a
// control id, is encoded with a leading space piece; no other space is added or removed; the empty text gives
// no ids.
class TokenizerTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void encodesAsTheGoldenList_data();
    void encodesAsTheGoldenList();
    void addsOneLeadingSpaceToEachStretch_data();
    void addsOneLeadingSpaceToEachStretch();
    void decodesWhatItEncoded();
    void joinsBytePiecesAndKeepsTypedOnes();
    void turnsEachEndOfAnswerIntoOneId();
    void trainsATokenizerWithLlamaConventions();
    void saysWhyTrainingFailed();
    void letsTheCallersExceptionThrough();
    void refusesFilesThatAreNoModel();
    void refusesTheTokenizerOfAnotherModel();
    void refusesIdsThatItDoesNotHave();
    void encodesFromManyThreads();

private:
    std::unique_ptr<Tokenizer> stories() const
    {
        return tokenizerPlugin().load(sharedData("stories260K") / "tokenizer.model");
    }
    static bool hasStories() { return std::filesystem::exists(sharedData("stories260K")); }
    std::filesystem::path path(const char* name) const { return m_dir.filePath(name).toStdString(); }
    // Trains on a few made-up sentences.
    std::unique_ptr<Tokenizer> trained(int vocabulary, const char* name) const;

    QTemporaryDir m_dir;
};

// Case T1. Ids by a second implementation of the merge rule, written for this list, and by spm_encode.
void TokenizerTest::encodesAsTheGoldenList_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<Ids>("plain");  // encode()
    QTest::addColumn<Ids>("prompt"); // encodePrompt() with BOS
    const auto row = [](const char* name, const char* text, const Ids& plain, const Ids& prompt) {
        QTest::newRow(name) << QByteArray(text) << plain << prompt;
    };
    row("word", "Hello", {346, 306, 414}, {1, 346, 306, 414});
    row("leading space", " Hello", {410, 346, 306, 414}, {1, 410, 346, 306, 414});
    row("after an end", "</s>Hello", {410, 504, 492, 419, 505, 440, 411, 306, 414}, {1, 2, 346, 306, 414});
    row("two spaces", "a  b", {261, 410, 268}, {1, 261, 410, 268});
    row("newline", "\n", {410, 13}, {1, 410, 13});
    row("trailing space", "Hello ", {346, 306, 414, 410}, {1, 346, 306, 414, 410});
    row("empty", "", {}, {1});
    row("start as text", "<s>", {410, 504, 419, 505}, {1, 1});
    row("digits", "12 3", {410, 475, 479, 410, 472}, {1, 410, 475, 479, 410, 472});
    row("sentence", "Once upon a time, there was a little girl.",
        {403, 407, 261, 378, 432, 383, 286, 261, 376, 298, 315, 421, 426},
        {1, 403, 407, 261, 378, 432, 383, 286, 261, 376, 298, 315, 421, 426});
    row("end in the middle", "Hello</s> Hello", {346, 306, 414, 504, 492, 419, 505, 346, 306, 414},
        {1, 346, 306, 414, 2, 410, 346, 306, 414});
    row("two ends and a start", "</s></s><s>Hello</s>",
        {410, 504, 492, 419, 505, 504, 492, 419, 505, 504, 419, 505, 440, 411, 306, 414, 504, 492, 419, 505},
        {1, 2, 2, 1, 346, 306, 414, 2});
    row("no end tag", "</s Hello", {410, 504, 492, 419, 346, 306, 414},
        {1, 410, 504, 492, 419, 346, 306, 414});
}

void TokenizerTest::encodesAsTheGoldenList()
{
    if (!hasStories()) QSKIP("../shared/data/stories260K is absent");
    QFETCH(QByteArray, text);
    QFETCH(Ids, plain);
    QFETCH(Ids, prompt);
    const auto tokenizer = stories();
    QCOMPARE(tokenizer->encode(text.toStdString()), plain);
    QCOMPARE(encodePrompt(*tokenizer, text.toStdString(), true), prompt);
    prompt.erase(prompt.begin());
    QCOMPARE(encodePrompt(*tokenizer, text.toStdString(), false), prompt);
}

// Case T1 with the tokenizer in the box: the same rule whatever its merges are, written in pieces, where ▁ is
// a space and <> a control id.
void TokenizerTest::addsOneLeadingSpaceToEachStretch_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("pieces");
    const auto row = [](const char* name, const char* text, const char* pieces) {
        QTest::newRow(name) << QString(text) << QString(pieces);
    };
    row("word", "Hello", "▁Hello");
    row("leading space", " Hello", "▁▁Hello");
    row("after an end", "</s>Hello", "<>▁Hello");
    row("a space after an end", "Yes</s> No", "▁Yes<>▁▁No");
    row("two spaces", "a  b", "▁a▁▁b");
    row("newline", "\n", "▁<0x0A>");
    row("trailing space", "Hello ", "▁Hello▁");
    row("empty", "", "");
    row("only ends", "</s></s>", "<><>");
}

void TokenizerTest::addsOneLeadingSpaceToEachStretch()
{
    QFETCH(QString, text);
    QFETCH(QString, pieces);
    const auto file = std::filesystem::path(BATCHSCOPE_SOURCE_DIR) / "resources/models/demo/tokenizer.model";
    const auto tokenizer = tokenizerPlugin().load(file);
    std::string joined;
    for (const TokenId id : encodePrompt(*tokenizer, text.toStdString(), false))
        joined += id == tokenizer->eos() ? "<>" : tokenizer->piece(id);
    QCOMPARE(QString::fromStdString(joined), pieces);
}

// The rule: decode(encode(text)) is text; encode(decode(ids)) need not be ids (a model may write other
// merges).
void TokenizerTest::decodesWhatItEncoded()
{
    if (!hasStories()) QSKIP("../shared/data/stories260K is absent");
    const auto tokenizer = stories();
    for (const char* text :
         {"Hello", " Hello", "  two  spaces  ", "a\n\nb\tc", "</s>", "日本語 été 🙂", "trailing "})
        QCOMPARE(tokenizer->decode(tokenizer->encode(text)), std::string(text));
    QCOMPARE(tokenizer->decode(Ids{1, 346, 306, 414, 2}), std::string("Hello"));
    QCOMPARE(tokenizer->decode(Ids{}), std::string());
    QCOMPARE(tokenizer->decode(Ids{2}), std::string());
    QCOMPARE(tokenizer->piece(346), std::string("\u2581He"));
}

// Case T3.
void TokenizerTest::joinsBytePiecesAndKeepsTypedOnes()
{
    if (!hasStories()) QSKIP("../shared/data/stories260K is absent");
    const auto tokenizer = stories();
    QCOMPARE(tokenizer->piece(237), std::string("<0xEA>"));
    QCOMPARE(tokenizer->decode(Ids{346, 306, 414, 410, 237, 179, 131}), std::string("Hello \uAC00"));
    const Ids typed = tokenizer->encode("<0xEA>");
    QCOMPARE(typed, (Ids{410, 504, 477, 444, 459, 447, 505}));
    QCOMPARE(tokenizer->decode(typed), std::string("<0xEA>"));
}

// Case M6.
void TokenizerTest::turnsEachEndOfAnswerIntoOneId()
{
    const auto tokenizer = trained(320, "turns.model");
    const std::string text =
        chatTemplate("vicuna_v1.1")
            .render({{"Where is the cat?", "On the mat."}, {"And the dog?", "Beside it."}, {"Why?", ""}});
    const Ids ids = encodePrompt(*tokenizer, text, true);
    QCOMPARE(ids.front(), tokenizer->bos());
    QCOMPARE(std::count(ids.begin(), ids.end(), tokenizer->eos()), std::ptrdiff_t{2});
    QCOMPARE(std::count(ids.begin(), ids.end(), tokenizer->bos()), std::ptrdiff_t{1});
    QVERIFY(ids.back() != tokenizer->eos());
    // Each piece between control ids is what it would be alone.
    Ids joined{tokenizer->bos()};
    std::string rest = text;
    for (std::size_t end = rest.find("</s>"); end != std::string::npos; end = rest.find("</s>")) {
        for (const TokenId id : tokenizer->encode(rest.substr(0, end)))
            joined.push_back(id);
        joined.push_back(tokenizer->eos());
        rest = rest.substr(end + 4);
    }
    for (const TokenId id : tokenizer->encode(rest))
        joined.push_back(id);
    QCOMPARE(ids, joined);
}

std::unique_ptr<Tokenizer> TokenizerTest::trained(int vocabulary, const char* name) const
{
    int i = 0;
    tokenizerPlugin().train({vocabulary, 1, path(name)}, [&]() -> std::optional<std::string> {
        if (i++ == 300) return std::nullopt;
        return "The cat " + std::to_string(i) + " sat on the mat, and a lazy dog watched " +
               std::to_string(7 * i) + " quick brown foxes jump.";
    });
    return tokenizerPlugin().load(path(name));
}

void TokenizerTest::trainsATokenizerWithLlamaConventions()
{
    const auto tokenizer = trained(340, "tiny.model");
    QCOMPARE(tokenizer->vocabularySize(), 340);
    QCOMPARE(tokenizer->bos(), 1);
    QCOMPARE(tokenizer->eos(), 2);
    QCOMPARE(tokenizer->piece(0), std::string("<unk>"));
    QCOMPARE(tokenizer->piece(3), std::string("<0x00>"));
    QCOMPARE(tokenizer->piece(258), std::string("<0xFF>"));
    for (const char* text : {"The cat 12 sat", "  kept   spaces ", "unseen: Ωλ\n", "9876543210"})
        QCOMPARE(tokenizer->decode(tokenizer->encode(text)), std::string(text));
    const Ids digits = tokenizer->encode("x 2026");
    for (const TokenId id : digits) {
        const std::string piece = tokenizer->piece(id);
        QVERIFY2(std::count_if(piece.begin(), piece.end(), [](char c) { return c >= '0' && c <= '9'; }) <= 1,
                 piece.c_str());
    }
    QVERIFY2(tokenizer->encode("the mat, and a lazy dog watched").size() < 20, "nothing was merged");
    trained(340, "again.model");
    QCOMPARE(readBytes(path("again.model")), readBytes(path("tiny.model")));
}

void TokenizerTest::saysWhyTrainingFailed()
{
    const auto train = [&](int vocabulary, std::vector<std::string> sentences) {
        std::size_t i = 0;
        tokenizerPlugin().train({vocabulary, 1, path("failed.model")}, [&]() -> std::optional<std::string> {
            return i < sentences.size() ? std::optional(sentences[i++]) : std::nullopt;
        });
    };
    QVERIFY(refusesFile([&] { train(300, {}); }, {"no sentence to train on"}));
    QVERIFY(refusesFile([&] { train(4000, {"one", "two"}); }, {"4000 pieces on 2 sentences", "too high"}));
    QVERIFY(refusesFile([&] { train(100, {"one"}); }, {"at least 260", "100"}));
    QVERIFY(
        refusesFile([&] { train(262, {"The quick brown fox jumps"}); }, {"262", "smaller than required"}));
    QVERIFY(!std::filesystem::exists(path("failed.model")));
    const auto unwritable = std::filesystem::path("/proc/absent/tiny.model");
    int i = 0;
    QVERIFY(refusesFile(
        [&] {
            tokenizerPlugin().train({270, 1, unwritable}, [&]() -> std::optional<std::string> {
                return i++ < 50 ? std::optional<std::string>("abcab abc ab abcd") : std::nullopt;
            });
        },
        {unwritable.string(), "cannot be written"}));
}

void TokenizerTest::letsTheCallersExceptionThrough()
{
    int given = 0;
    const auto error = engineErrorOf([&] {
        tokenizerPlugin().train({300, 1, path("cancelled.model")}, [&]() -> std::optional<std::string> {
            if (given++ == 5) throw EngineError(ErrorKind::Cancelled, "stopped by the user");
            return "a sentence";
        });
    });
    QVERIFY(error);
    QVERIFY(error->kind == ErrorKind::Cancelled);
    QCOMPARE(error->message, std::string("stopped by the user"));
    QVERIFY(!std::filesystem::exists(path("cancelled.model")));
}

void TokenizerTest::refusesFilesThatAreNoModel()
{
    const auto load = [&](const char* name) { return [&, name] { tokenizerPlugin().load(path(name)); }; };
    QVERIFY(refusesFile(load("absent.model"), {path("absent.model").string(), "No such file"}));
    QVERIFY(refusesFile([&] { tokenizerPlugin().load(m_dir.path().toStdString()); }, {"is a folder"}));
    writeBytes(path("pointer.model"),
               "version https://git-lfs.github.com/spec/v1\noid sha256:9e55\nsize 499723\n");
    QVERIFY(refusesFile(load("pointer.model"),
                        {path("pointer.model").string(), "no sentencepiece model", "Git LFS pointer"}));
    writeBytes(path("empty.model"), "");
    QVERIFY(refusesFile(load("empty.model"), {"no sentencepiece model", "empty, 0 bytes"}));
    trained(300, "whole.model");
    const std::string whole = readBytes(path("whole.model"));
    writeBytes(path("cut.model"), whole.substr(0, whole.size() / 2));
    QVERIFY(refusesFile(load("cut.model"), {path("cut.model").string(), "no sentencepiece model"}));
}

void TokenizerTest::refusesTheTokenizerOfAnotherModel()
{
    const std::filesystem::path dir = path("model");
    writeTinyModel(dir);
    const ModelConfig config = readModelConfig(dir);
    QVERIFY(refusesFile([&] { openModelTokenizer(dir, config); },
                        {(dir / "tokenizer.model").string(), "absent"}));
    trained(300, "model/tokenizer.model");
    QCOMPARE(openModelTokenizer(dir, config)->vocabularySize(), 300);
    trained(320, "model/tokenizer.model");
    QVERIFY(refusesFile([&] { openModelTokenizer(dir, config); },
                        {"320 pieces", "300 tokens", "another model's tokenizer"}));
}

void TokenizerTest::refusesIdsThatItDoesNotHave()
{
    const auto tokenizer = trained(300, "ids.model");
    QVERIFY(refusesFile([&] { tokenizer->decode(Ids{5, 300}); }, {"no token 300", "from 0 to 299"}));
    QVERIFY(refusesFile([&] { tokenizer->decode(Ids{-1}); }, {"no token -1"}));
    QVERIFY(refusesFile([&] { tokenizer->piece(1 << 30); }, {"no token 1073741824"}));
}

void TokenizerTest::encodesFromManyThreads()
{
    const auto tokenizer = trained(340, "threads.model");
    const std::string text = "The quick brown cat sat on 12 mats.";
    const Ids expected = tokenizer->encode(text);
    std::vector<int> wrong(4, 0);
    {
        std::vector<std::jthread> threads;
        for (int& count : wrong)
            threads.emplace_back([&tokenizer, &text, &expected, &count] {
                for (int i = 0; i < 200; ++i)
                    if (tokenizer->encode(text) != expected || tokenizer->decode(expected) != text) ++count;
            });
    }
    QCOMPARE(wrong, std::vector<int>(4, 0));
}

BATCHSCOPE_TEST(TokenizerTest)
#include "tokenizer_test.moc"
