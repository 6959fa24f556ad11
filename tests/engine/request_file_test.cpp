// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/data/request_file.h"

#include "tests/support/engine_error.h"
#include "tests/support/model_files.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>
#include <clocale>
#include <locale>

using namespace batchscope::engine;
using namespace batchscope::tests;

class RequestFileTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsEveryColumnOfJsonLines();
    void readsTheSameFromCsv();
    void keepsFileOrder();
    void readsQuotesCommasAndLineBreaks();
    void countsRowsThatCannotBeUsed_data();
    void countsRowsThatCannotBeUsed();
    void countsBrokenCsvRows();
    void namesColumnsThatMeanNothing();
    void refusesFilesThatAreNone();
    void writesWhatItReads_data();
    void writesWhatItReads();
    void doesNotDependOnTheLocale();

private:
    std::filesystem::path file(const char* name, const std::string& content) const
    {
        const std::filesystem::path path = m_dir.filePath(name).toStdString();
        writeBytes(path, content);
        return path;
    }
    QTemporaryDir m_dir;
};

void RequestFileTest::readsEveryColumnOfJsonLines()
{
    const auto read = readRequestFile(file(
        "all.jsonl",
        R"({"id": "a", "prompt": "Hi", "output_tokens": 12, "predicted_tokens": 10, "arrival_s": 0.25, "priority": -2, "client": "c"})"
        "\n\n"
        R"({"id": 7, "prompt_token_ids": [1, 300, 2]})"
        "\r\n"
        R"({"prompt_tokens": 5, "output_tokens": 3.0, "client": null})"));
    QVERIFY(read.skipped.empty());
    QCOMPARE(read.rows.size(), std::size_t{3});
    RequestRow first;
    first.id = "a";
    first.prompt = "Hi";
    first.output_tokens = 12;
    first.predicted_tokens = 10;
    first.arrival_ns = 250'000'000;
    first.priority = -2;
    first.client = "c";
    QVERIFY(read.rows[0] == first);
    RequestRow second;
    second.id = "7";
    second.prompt_token_ids = {1, 300, 2};
    QVERIFY(read.rows[1] == second);
    RequestRow third;
    third.prompt_tokens = 5;
    third.output_tokens = 3;
    QVERIFY(read.rows[2] == third);
}

void RequestFileTest::readsTheSameFromCsv()
{
    const auto read =
        readRequestFile(file("all.CSV", "\xEF\xBB\xBFid,prompt,output_tokens,predicted_tokens,arrival_s,"
                                        "priority,client,prompt_token_ids,prompt_tokens\r\n"
                                        "a,Hi,12,10,0.25,-2,c,,\r\n"
                                        "007,,,,,,,1 300 2,\r\n"
                                        ",,3,,,,,\"[1, 300, 2]\", 5 \r\n"));
    QVERIFY2(read.skipped.empty(), read.skipped.empty() ? "" : read.skipped.front().text().c_str());
    QCOMPARE(read.rows.size(), std::size_t{3});
    QCOMPARE(read.rows[0].prompt.value(), std::string("Hi"));
    QCOMPARE(read.rows[0].output_tokens.value(), 12);
    QCOMPARE(read.rows[0].predicted_tokens.value(), 10);
    QCOMPARE(read.rows[0].arrival_ns.value(), batchscope::Nanos{250'000'000});
    QCOMPARE(read.rows[0].priority, -2);
    QCOMPARE(read.rows[1].id, std::string("007"));
    QVERIFY(!read.rows[1].prompt);
    QCOMPARE(read.rows[1].prompt_token_ids, (std::vector<batchscope::TokenId>{1, 300, 2}));
    QCOMPARE(read.rows[2].prompt_token_ids, (std::vector<batchscope::TokenId>{1, 300, 2}));
    QCOMPARE(read.rows[2].prompt_tokens.value(), 5);
}

void RequestFileTest::keepsFileOrder()
{
    std::string lines, table = "id,prompt_tokens,arrival_s\n";
    for (int i = 0; i < 500; ++i) {
        const int number = (i * 193) % 500;
        lines += "{\"id\": \"" + std::to_string(number) + "\", \"prompt_tokens\": 4, \"arrival_s\": 0}\n";
        table += std::to_string(number) + ",4,0\n";
    }
    for (const auto& path : {file("order.jsonl", lines), file("order.csv", table)}) {
        const auto read = readRequestFile(path);
        QCOMPARE(read.rows.size(), std::size_t{500});
        for (int i = 0; i < 500; ++i)
            QCOMPARE(read.rows[static_cast<std::size_t>(i)].id, std::to_string((i * 193) % 500));
    }
}

void RequestFileTest::readsQuotesCommasAndLineBreaks()
{
    const auto read = readRequestFile(file("quotes.csv", "prompt,id\r\n"
                                                         "\"one, two\",a\r\n"
                                                         "\"she said \"\"yes\"\"\",b\r\n"
                                                         "\"first\r\nsecond\n\nthird\",c\r\n"
                                                         "5\" disk,d\r\n"
                                                         "\"\"\"\",e\r\n"
                                                         "\"  spaces  \",f"));
    QVERIFY(read.skipped.empty());
    const std::vector<std::string> expected{
        "one, two", "she said \"yes\"", "first\r\nsecond\n\nthird", "5\" disk", "\"", "  spaces  "};
    QCOMPARE(read.rows.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
        QCOMPARE(read.rows[i].prompt.value(), expected[i]);
}

void RequestFileTest::countsRowsThatCannotBeUsed_data()
{
    QTest::addColumn<QString>("row");
    QTest::addColumn<QString>("reason");
    const auto row = [](const char* name, const char* line, const char* reason) {
        QTest::newRow(name) << QString(line) << QString(reason);
    };
    row("no prompt form", R"({"id": "x", "output_tokens": 3})", "none of \"prompt\"");
    row("empty prompt", R"({"prompt": ""})", "\"prompt\" is empty");
    row("prompt no text", R"({"prompt": 3})", "\"prompt\" is 3, expected a text");
    row("ids empty", R"({"prompt_token_ids": []})", "at least one token id");
    row("ids negative", R"({"prompt_token_ids": [1, -4]})", "entry 2 is -4");
    row("ids text", R"({"prompt_token_ids": "1 2"})", "\"prompt_token_ids\" is \"1 2\"");
    row("count zero", R"({"prompt_tokens": 0})", "\"prompt_tokens\" is 0, expected a whole number from 1");
    row("output negative", R"({"prompt": "x", "output_tokens": -5})", "\"output_tokens\" is -5");
    row("output part", R"({"prompt": "x", "output_tokens": 2.5})", "\"output_tokens\" is 2.5");
    row("output text", R"({"prompt": "x", "output_tokens": "12"})", "\"output_tokens\" is \"12\"");
    row("arrival negative", R"({"prompt": "x", "arrival_s": -1})", "\"arrival_s\" is -1");
    row("arrival an epoch", R"({"prompt": "x", "arrival_s": 1700000000})", "\"arrival_s\" is 1700000000");
    row("priority", R"({"prompt": "x", "priority": "high"})", "\"priority\" is \"high\"");
    row("array", R"(["x"])", "expected a JSON object");
    row("broken", R"({"prompt": "x")", "no valid JSON");
    row("twice", R"({"prompt": "x", "prompt": "y"})", "given twice");
}

void RequestFileTest::countsRowsThatCannotBeUsed()
{
    QFETCH(QString, row);
    QFETCH(QString, reason);
    const std::string good = R"({"prompt": "good"})";
    const auto read =
        readRequestFile(file("bad.jsonl", good + "\n\n" + row.toStdString() + "\n" + good + "\n"));
    QCOMPARE(read.rows.size(), std::size_t{2});
    QCOMPARE(read.skipped.size(), std::size_t{1});
    QCOMPARE(read.skipped[0].row, std::int64_t{2});
    QCOMPARE(read.skipped[0].line, std::int64_t{3});
    QVERIFY2(read.skipped[0].reason.find(reason.toStdString()) != std::string::npos,
             read.skipped[0].reason.c_str());
    QVERIFY(read.skipped[0].text().starts_with("row 2 (line 3): "));
}

void RequestFileTest::countsBrokenCsvRows()
{
    const auto read = readRequestFile(file("bad.csv", "id,prompt,output_tokens\n"
                                                      "1,good,3\n"
                                                      "2,short\n"
                                                      "3,\"closed\" early,3\n"
                                                      "4,good,many\n"
                                                      "5,good,inf\n"
                                                      "6,\xff\xfe,3\n"
                                                      "\n"
                                                      "7,,3\n"
                                                      "8,good,3\n"
                                                      "9,\"never closed,3\n"
                                                      "10,good,3\n"));
    QCOMPARE(read.rows.size(), std::size_t{3});
    QCOMPARE(read.rows[1].id, std::string("8"));
    QCOMPARE(read.rows[2].id, std::string("10")); // a quote that nothing closes costs its own row only
    QCOMPARE(read.skipped.size(), std::size_t{7});
    const std::vector<std::pair<std::int64_t, std::string>> expected{
        {3, "has 2 fields, expected 3"},      {4, "after the closing quote of field 2"},
        {5, "\"output_tokens\" is \"many\""}, {6, "\"output_tokens\" is \"inf\""},
        {7, "\"prompt\" is no valid UTF-8"},  {9, "none of \"prompt\""},
        {11, "in line 11 is never closed"}};
    for (std::size_t i = 0; i < expected.size(); ++i) {
        QCOMPARE(read.skipped[i].line, expected[i].first);
        QVERIFY2(read.skipped[i].reason.find(expected[i].second) != std::string::npos,
                 read.skipped[i].reason.c_str());
    }
    QCOMPARE(read.skipped[6].row, std::int64_t{9}); // 2 good and 7 bad rows
}

void RequestFileTest::namesColumnsThatMeanNothing()
{
    const auto lines =
        readRequestFile(file("extra.jsonl", "{\"prompt\": \"x\", \"output_token\": 3, \"note\": 1}\n"
                                            "{\"prompt\": \"x\", \"note\": 1}\n"));
    QCOMPARE(lines.unknown_columns, (std::vector<std::string>{"note", "output_token"}));
    QCOMPARE(lines.rows.size(), std::size_t{2});
    const auto table = readRequestFile(file("extra.csv", "note,prompt,output_token\n1,x,3\n"));
    QCOMPARE(table.unknown_columns, (std::vector<std::string>{"note", "output_token"}));
    QVERIFY(!table.rows[0].output_tokens);
}

void RequestFileTest::refusesFilesThatAreNone()
{
    const auto refuses = [&](const std::filesystem::path& path, std::vector<std::string> said) {
        said.push_back(path.string());
        return refusesFile([&] { readRequestFile(path); }, said);
    };
    QVERIFY(refuses(m_dir.filePath("absent.jsonl").toStdString(), {"No such file"}));
    QVERIFY(refuses(m_dir.path().toStdString(), {"is a folder"}));
    QVERIFY(refuses(file("array.json", "[{\"prompt\": \"x\"}]"), {"one JSON array"}));
    QVERIFY(refuses(file("page.jsonl", "<!doctype html><html></html>"), {"HTML page"}));
    QVERIFY(refuses(file("header.csv", "id,text\n1,x\n"), {"no prompt column", "found: id, text"}));
    QVERIFY(refuses(file("twice.csv", "prompt,id,prompt\n"), {"\"prompt\" is there twice"}));
    for (const char* name : {"empty.jsonl", "empty.csv"}) {
        const auto read = readRequestFile(file(name, ""));
        QVERIFY(read.rows.empty() && read.skipped.empty());
    }
}

void RequestFileTest::writesWhatItReads_data()
{
    QTest::addColumn<QString>("name");
    QTest::newRow("lines") << "out.jsonl";
    QTest::newRow("table") << "out.csv";
}

void RequestFileTest::writesWhatItReads()
{
    QFETCH(QString, name);
    std::vector<RequestRow> rows(5);
    rows[0].prompt = "one, \"two\"\nthree\r\n  ";
    rows[0].id = " 01,";
    rows[1].prompt_token_ids = {1, 2, 2147483647};
    rows[1].arrival_ns = 1;
    rows[1].client = "é";
    rows[2].prompt_tokens = 16;
    rows[2].output_tokens = 1;
    rows[2].predicted_tokens = 512;
    rows[2].priority = -7;
    rows[2].arrival_ns = 8'999'999'123'456'789;
    rows[3].prompt = "1.50";
    rows[3].id = "1e5";
    rows[4].prompt = "\"";
    rows[4].arrival_ns = 0;
    const std::filesystem::path path = m_dir.filePath(name).toStdString();
    writeRequestFile(path, rows);
    const auto read = readRequestFile(path);
    QVERIFY2(read.skipped.empty(), read.skipped.empty() ? "" : read.skipped.front().text().c_str());
    QVERIFY(read.unknown_columns.empty());
    QVERIFY(read.rows == rows);
    rows[0].prompt = "\xff";
    QVERIFY(refusesFile([&] { writeRequestFile(path, rows); }, {path.string(), "cannot be written"}));
    QVERIFY(readRequestFile(path).rows.size() == 5); // the file before is whole
    QVERIFY(refusesFile([&] { writeRequestFile("/proc/absent/out.csv", std::span(rows).subspan(1)); },
                        {"/proc/absent/out.csv", "cannot be written"}));
}

void RequestFileTest::doesNotDependOnTheLocale()
{
    struct DecimalComma : std::numpunct<char>
    {
        char do_decimal_point() const override { return ','; }
        char do_thousands_sep() const override { return '.'; }
        std::string do_grouping() const override { return "\3"; }
    };
    const std::locale before = std::locale::global(std::locale(std::locale(), new DecimalComma));
    if (!std::setlocale(LC_NUMERIC, "de_DE.UTF-8")) qInfo("no de_DE here: C++ streams only");
    std::vector<RequestRow> rows(1);
    rows[0].prompt_tokens = 12345;
    rows[0].arrival_ns = 1'234'500'000'000;
    for (const char* name : {"locale.csv", "locale.jsonl"}) {
        const std::filesystem::path path = m_dir.filePath(name).toStdString();
        writeRequestFile(path, rows);
        QVERIFY2(readBytes(path).find("1234.5") != std::string::npos, readBytes(path).c_str());
        QVERIFY(readRequestFile(path).rows == rows);
    }
    std::locale::global(before);
    std::setlocale(LC_NUMERIC, "C");
}

BATCHSCOPE_TEST(RequestFileTest)
#include "request_file_test.moc"
