// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/data/conversations.h"

#include "tests/support/engine_error.h"
#include "tests/support/model_files.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

using namespace batchscope::engine;
using namespace batchscope::tests;

class ConversationsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsAlpaca();
    void readsShareGptAndMessages();
    void readsOneObjectALine();
    void labelsRowsWithoutAnIdByTheirNumber();
    void countsRowsThatAreNoConversation();
    void stopsAtTheNumberAskedFor();
    void refusesMalformedFiles_data();
    void refusesMalformedFiles();

private:
    std::filesystem::path file(const std::string& content) const
    {
        const std::filesystem::path path = m_dir.filePath("data.json").toStdString();
        writeBytes(path, content);
        return path;
    }
    QTemporaryDir m_dir;
};

void ConversationsTest::readsAlpaca()
{
    const auto read = readConversations(file(R"([
        {"instruction": "Name a fruit.", "input": "", "output": "Apple."},
        {"instruction": "Translate.", "input": "Hallo", "output": "Hello", "id": 4},
        {"instruction": "No answer yet."}])"));
    QCOMPARE(read.format, std::string("alpaca"));
    QVERIFY(read.skipped.empty());
    QCOMPARE(read.conversations.size(), std::size_t{3});
    QCOMPARE(read.conversations[0].turns, (std::vector<Turn>{{"Name a fruit.", "Apple."}}));
    QCOMPARE(read.conversations[1].turns, (std::vector<Turn>{{"Translate.\nInput:\nHallo", "Hello"}}));
    QCOMPARE(read.conversations[1].id, std::string("4"));
    QCOMPARE(read.conversations[2].turns, (std::vector<Turn>{{"No answer yet.", ""}}));
}

void ConversationsTest::readsShareGptAndMessages()
{
    const auto read = readConversations(file(R"([
        {"id": "a_0", "conversations": [{"from": "human", "value": "One?"}, {"from": "gpt", "value": "First."},
                                        {"from": "human", "value": "Two?"}, {"from": "gpt", "value": "Second."}]},
        {"id": "b", "conversations": [{"from": "gpt", "value": "Cut off"}, {"from": "user", "value": "Q"}]
},
        {"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"},
                      {"role": "assistant", "content": "Hello"}]}])"));
    QCOMPARE(read.format, std::string("sharegpt"));
    QVERIFY(read.skipped.empty());
    QCOMPARE(read.conversations.size(), std::size_t{3});
    QCOMPARE(read.conversations[0].id, std::string("a_0"));
    QCOMPARE(read.conversations[0].turns, (std::vector<Turn>{{"One?", "First."}, {"Two?", "Second."}}));
    QCOMPARE(read.conversations[1].turns, (std::vector<Turn>{{"Q", ""}}));
    QCOMPARE(read.conversations[2].system, std::string("Be brief."));
    QCOMPARE(read.conversations[2].turns, (std::vector<Turn>{{"Hi", "Hello"}}));
}

void ConversationsTest::readsOneObjectALine()
{
    const auto read = readConversations(file("\xEF\xBB\xBF\n{\"instruction\": \"A\", \"output\": \"1\"}\n"
                                             "{\"instruction\": \"B\", \"output\": \n"
                                             "\n{\"instruction\": \"C\", \"output\": \"3\"}\r\n"));
    QCOMPARE(read.conversations.size(), std::size_t{2});
    QCOMPARE(read.conversations[1].turns[0].user, std::string("C"));
    QCOMPARE(read.skipped.size(), std::size_t{1});
    QCOMPARE(read.skipped[0].row, std::int64_t{2});
    QCOMPARE(read.skipped[0].line, std::int64_t{3});
    QVERIFY(read.skipped[0].reason.find("no valid JSON") != std::string::npos);
}

// Skipped rows count, so that a row keeps its label when a row before it is mended.
void ConversationsTest::labelsRowsWithoutAnIdByTheirNumber()
{
    const auto read = readConversations(file(R"([{"instruction": "A"}, {"text": "no row"},
        {"instruction": "B", "id": "own"}, {"instruction": "C", "id": null}, {"instruction": "D", "id": ""}])"));
    std::vector<std::string> labels;
    for (const auto& conversation : read.conversations)
        labels.push_back(conversation.id);
    QCOMPARE(labels, (std::vector<std::string>{"row 1", "own", "row 4", "row 5"}));
    const auto lines =
        readConversations(file("{\"instruction\": \"A\"}\n\nbroken\n{\"instruction\": \"B\"}\n"));
    QCOMPARE(lines.conversations[1].id, std::string("row 3"));
}

void ConversationsTest::countsRowsThatAreNoConversation()
{
    const auto read = readConversations(file(R"([
        {"conversations": [{"from": "human", "value": "Q"}]},
        {"text": "neither"},
        {"conversations": []},
        {"conversations": [{"from": "human", "value": "Q"}, {"from": "human", "value": "Q"}]},
        {"conversations": [{"from": "human", "value": "Q"}, {"from": "gpt", "value": "A"}, {"from": "gpt", "value": "A"}]},
        {"conversations": [{"from": "parrot", "value": "Q"}]},
        {"conversations": [{"from": "human", "value": null}]},
        {"conversations": [{"from": "human", "value": "Q"}, {"from": "gpt", "value": ""}, {"from": "human", "value": "R"}]},
        {"conversations": {"from": "human"}},
        17, "text", [1, 2],
        {"conversations": [{"from": "human", "value": "last"}]}])"));
    QCOMPARE(read.conversations.size(), std::size_t{2});
    QCOMPARE(read.conversations[1].turns[0].user, std::string("last"));
    const std::vector<std::string> reasons{"neither \"instruction\" nor",
                                           "no question",
                                           "message 2 is a second question",
                                           "message 3 is a second answer",
                                           "\"from\" is \"parrot\"",
                                           "\"value\" is null",
                                           "answer to question 1 is empty",
                                           "\"conversations\" is",
                                           "found 17",
                                           "found \"text\"",
                                           "found [1,2]"};
    QCOMPARE(read.skipped.size(), reasons.size());
    for (std::size_t i = 0; i < reasons.size(); ++i) {
        QCOMPARE(read.skipped[i].row, static_cast<std::int64_t>(i) + 2);
        QVERIFY2(read.skipped[i].reason.find(reasons[i]) != std::string::npos,
                 read.skipped[i].reason.c_str());
    }
}

void ConversationsTest::stopsAtTheNumberAskedFor()
{
    std::string lines, array = "[";
    for (int i = 0; i < 10; ++i) {
        const std::string row = "{\"instruction\": \"" + std::to_string(i) + "\"}";
        lines += row + "\n";
        array += row + ",";
    }
    for (const std::string& content : {lines + "broken", array + "broken"}) {
        const auto read = readConversations(file(content), 4);
        QCOMPARE(read.conversations.size(), std::size_t{4});
        QCOMPARE(read.conversations[3].turns[0].user, std::string("3"));
    }
}

void ConversationsTest::refusesMalformedFiles_data()
{
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QStringList>("said");
    QTest::newRow("array breaks off") << QByteArray("[{\"instruction\": \"A\"},\n {\"instruction\": \"B\"")
                                      << QStringList{"line 2", "expected conversation data"};
    QTest::newRow("comma absent") << QByteArray("[{\"instruction\": \"A\"}\n {\"instruction\": \"B\"}]")
                                  << QStringList{"line 2, column 2"};
    QTest::newRow("web page") << QByteArray("<html><body>404</body></html>")
                              << QStringList{"an HTML page", "29 bytes"};
    QTest::newRow("empty") << QByteArray() << QStringList{"seems to be empty"};
    QTest::newRow("no rows") << QByteArray("[]") << QStringList{"no conversation could be read", "no rows"};
    QTest::newRow("other rows") << QByteArray("{\"prompt\": \"x\"}\n")
                                << QStringList{"row 1 (line 1)",
                                               "neither \"instruction\" nor \"conversations\""};
    QTest::newRow("not UTF-8") << QByteArray("[{\"instruction\": \"\xff\"}]") << QStringList{"UTF-8"};
}

void ConversationsTest::refusesMalformedFiles()
{
    QFETCH(QByteArray, content);
    QFETCH(QStringList, said);
    const auto path = file(content.toStdString());
    std::vector<std::string> fragments{path.string()};
    for (const QString& each : said)
        fragments.push_back(each.toStdString());
    QVERIFY(refusesFile([&] { readConversations(path); }, fragments));
}

BATCHSCOPE_TEST(ConversationsTest)
#include "conversations_test.moc"
