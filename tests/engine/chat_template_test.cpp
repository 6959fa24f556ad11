// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/prompt/chat_template.h"

#include "tests/support/engine_error.h"
#include "tests/support/test_main.h"

using namespace batchscope::engine;
using namespace batchscope::tests;

namespace {
const std::string k_published = "A chat between a curious user and an artificial intelligence assistant. The "
                                "assistant gives helpful, detailed, "
                                "and polite answers to the user's questions.";
}

class ChatTemplateTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void rendersOneTurn();
    void rendersThreeTurns();
    void endsAnAnswerThatIsThere();
    void takesAnotherSystemSentence();
    void keepsTheTextOfANoneTemplate();
    void refusesUnknownNamesAndUnansweredTurns();
};

// Case M7: a space after the user's turn, "</s>" after the assistant's, no newline, no space at the end.
void ChatTemplateTest::rendersOneTurn()
{
    const ChatTemplate chat = chatTemplate("vicuna_v1.1");
    QCOMPARE(chat.render("What is a batch?"), k_published + " USER: What is a batch? ASSISTANT:");
    QCOMPARE(chat.render(" kept  as\ntyped "), k_published + " USER:  kept  as\ntyped  ASSISTANT:");
}

void ChatTemplateTest::rendersThreeTurns()
{
    const std::string text =
        chatTemplate("vicuna_v1.1").render({{"One?", "First."}, {"Two?", "Second."}, {"Three?", ""}});
    QCOMPARE(text, k_published +
                       " USER: One? ASSISTANT: First.</s>USER: Two? ASSISTANT: Second.</s>USER: Three? "
                       "ASSISTANT:");
    QVERIFY(text.find('\n') == std::string::npos);
}

void ChatTemplateTest::endsAnAnswerThatIsThere()
{
    QCOMPARE(chatTemplate("vicuna_v1.1", "S.").render({{"Q", "A"}}),
             std::string("S. USER: Q ASSISTANT: A</s>"));
}

void ChatTemplateTest::takesAnotherSystemSentence()
{
    QCOMPARE(chatTemplate("vicuna_v1.1", "You help.").render("Hi"),
             std::string("You help. USER: Hi ASSISTANT:"));
}

void ChatTemplateTest::keepsTheTextOfANoneTemplate()
{
    const ChatTemplate none = chatTemplate("none", "unused");
    QCOMPARE(none.render("Once upon a time"), std::string("Once upon a time"));
    QCOMPARE(none.render({{"first", "answer"}, {"last", ""}}), std::string("last"));
}

void ChatTemplateTest::refusesUnknownNamesAndUnansweredTurns()
{
    QVERIFY(refusesFile([] { chatTemplate("vicuna_v0"); }, {"\"vicuna_v0\"", "vicuna_v1.1, none"}));
    ChatTemplate unknown;
    unknown.name = "chatml";
    QVERIFY(refusesFile([&] { unknown.render("x"); }, {"\"chatml\""}));
    QVERIFY(refusesFile(
        [] {
            chatTemplate("vicuna_v1.1").render({{"One?", ""}, {"Two?", ""}});
        },
        {"Turn 1 of 2"}));
    QVERIFY(
        refusesFile([] { chatTemplate("none").render(std::vector<Turn>{}); }, {"at least one user turn"}));
}

BATCHSCOPE_TEST(ChatTemplateTest)
#include "chat_template_test.moc"
