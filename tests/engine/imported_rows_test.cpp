// SPDX-License-Identifier: GPL-3.0-or-later
// How importers split a file into rows, and what becomes of rows and files that are wrong.
#include "engine/data/import.h"
#include "tests/engine/import_folder.h"
#include "tests/support/engine_error.h"
#include "tests/support/test_main.h"

#include <sys/stat.h>

using namespace batchscope;
using namespace batchscope::engine;
using namespace batchscope::tests;

class ImportedRowsTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void bad_rows_cost_themselves_only();
    void a_file_that_breaks_off_loses_its_last_row();
    void quoted_line_breaks_are_no_rows();
    void a_quote_within_an_unquoted_field_opens_nothing();
    void carriage_returns_alone_end_lines_of_a_table();
    void rows_without_a_label_go_by_their_number();
    void the_importer_and_the_request_file_reader_agree();
    void what_is_no_regular_file_is_refused_at_once();
    void a_format_can_be_named();
    void files_of_no_known_format_are_refused_data();
    void files_of_no_known_format_are_refused();
    void an_importer_stops_when_it_is_told();

private:
    Imported import(const std::string& content, const ImportOptions& options = {}) const
    {
        return m_folder.import(content, options);
    }
    ImportFolder m_folder;
};

void ImportedRowsTest::bad_rows_cost_themselves_only()
{
    const auto [report, rows] =
        import("arrived_at,num_prefill_tokens,num_decode_tokens\n"
               "0,1,1\nsoon,1,1\n1,many,1\n2,1\n3,1.5,1\n4,99999999999,1\n5,\"1\"x,1\n\n6,2,2\n");
    QCOMPARE(rows.size(), std::size_t{2});
    QCOMPARE(report.rows, std::int64_t{8});
    const std::vector<std::string> reasons{"\"arrived_at\" is \"soon\"",
                                           "\"many\"",
                                           "has 2 fields, expected 3",
                                           "1.5",
                                           "99999999999",
                                           "closing quote"};
    QCOMPARE(report.skipped_rows.size(), reasons.size());
    for (std::size_t i = 0; i < reasons.size(); ++i) {
        QVERIFY2(report.skipped_rows[i].reason.find(reasons[i]) != std::string::npos,
                 report.skipped_rows[i].text().c_str());
        QCOMPARE(report.skipped_rows[i].row, static_cast<std::int64_t>(i) + 2);
        QCOMPARE(report.skipped_rows[i].line, static_cast<std::int64_t>(i) + 3);
    }
    QCOMPARE(rows[1].time_ns, std::optional<Nanos>(6 * k_second));
    const auto first_bad =
        import("arrived_at,num_prefill_tokens,num_decode_tokens\nsoon,1,1\n1700000000000,1,1\n");
    QCOMPARE(first_bad.report.time_unit, std::string("ms")); // the first readable time decides
    QCOMPARE(first_bad.rows.size(), std::size_t{1});
    const auto json = import("[{\"instruction\": \"a\"}, {\"instruction\": }, 7, {\"instruction\": \"b\"}]");
    QCOMPARE(json.rows.size(), std::size_t{2});
    QCOMPARE(json.report.skipped, std::int64_t{2});
}

void ImportedRowsTest::a_file_that_breaks_off_loses_its_last_row()
{
    const auto array = import("[{\"instruction\": \"a\"},\n{\"instruction\": \"b");
    QCOMPARE(array.rows.size(), std::size_t{1});
    QVERIFY(array.report.skipped_rows[0].reason.find("breaks off") != std::string::npos);
    QCOMPARE(array.report.skipped_rows[0].line, std::int64_t{2});
    const auto table = import("id,prompt\n1,a\n2,\"never closed\n3,c\n");
    QCOMPARE(table.rows.size(), std::size_t{2}); // the line after it is a row of its own
    QCOMPARE(table.rows[1].prompt, std::string("c"));
    QCOMPARE(table.report.skipped_rows[0].line, std::int64_t{3});
    QVERIFY(table.report.skipped_rows[0].reason.find("never closed") != std::string::npos);
}

void ImportedRowsTest::quoted_line_breaks_are_no_rows()
{
    const auto [report, rows] = import("id,prompt\n1,\"two\nlines, \"\"quoted\"\"\"\n2,one\nx,y,z\n");
    QCOMPARE(rows.size(), std::size_t{2});
    QCOMPARE(rows[0].prompt, std::string("two\nlines, \"quoted\""));
    QCOMPARE(report.skipped_rows[0].line, std::int64_t{5});
}

void ImportedRowsTest::a_quote_within_an_unquoted_field_opens_nothing()
{
    const auto [report, rows] = import("id,prompt\n1,5\" disk\n2,b\n3,\"\"\"\"\n4,d\n");
    QCOMPARE(report.skipped, std::int64_t{0});
    QCOMPARE(rows.size(), std::size_t{4});
    QCOMPARE(rows[0].prompt, std::string("5\" disk"));
    QCOMPARE(rows[2].prompt, std::string("\""));
}

void ImportedRowsTest::carriage_returns_alone_end_lines_of_a_table()
{
    const auto [report, rows] = import("id,prompt\r1,a\r2,\"two\rlines\"\r\n3,c\nx\r");
    QCOMPARE(rows.size(), std::size_t{3});
    QCOMPARE(rows[1].prompt, std::string("two\rlines"));
    QCOMPARE(report.skipped_rows[0].line, std::int64_t{6});
}

// Skipped rows count; a label is kept; a conversation's later questions say whose they are.
void ImportedRowsTest::rows_without_a_label_go_by_their_number()
{
    const auto labels = [](const Imported& imported) {
        std::vector<std::string> all;
        for (const auto& row : imported.rows)
            all.push_back(row.id);
        return all;
    };
    QCOMPARE(labels(import("prompt_tokens,id\n5,own\nmany,\n7,\n")),
             (std::vector<std::string>{"own", "row 3"}));
    QCOMPARE(labels(import("arrived_at,num_prefill_tokens,num_decode_tokens\n0,1,1\n1,2,2\n")),
             (std::vector<std::string>{"row 1", "row 2"}));
    ImportOptions options;
    options.all_turns = true;
    QCOMPARE(labels(import(R"([{"instruction": "A"}, 7, {"messages": [{"role": "user", "content": "B"},
                               {"role": "assistant", "content": "b"}, {"role": "user", "content": "C"}]}])",
                           options)),
             (std::vector<std::string>{"row 1", "row 3", "row 3/2"}));
}

// One stream of rows under both: the same rows are good, the same skipped, for the same reasons.
void ImportedRowsTest::the_importer_and_the_request_file_reader_agree()
{
    const std::vector<std::pair<const char*, std::string>> files{
        {"a.csv", "id,prompt,output_tokens\r\n1,good,3\r\n2,short\r\n3,\"closed\" early,3\r\n,x,3\r\n"
                  "4,\xff,3\r\n5,\"never closed,3\r\n6,good,3\r\n"},
        {"mac.csv", "prompt,id\rone,a\r\r\"t\rwo\",b\r"},
        {"a.jsonl",
         "{\"prompt\": \"x\"}\n\n{\"prompt\": 7}\nbroken\n{\"prompt_tokens\": 4, \"id\": \"d\"}\n"}};
    for (const auto& [name, content] : files) {
        const auto path = m_folder.write(content, name);
        RequestFile file = readRequestFile(path);
        labelRows(file);
        const Imported imported = import(content);
        QCOMPARE(imported.report.skipped_rows, file.skipped);
        QCOMPARE(imported.rows.size(), file.rows.size());
        for (std::size_t i = 0; i < file.rows.size(); ++i) {
            QCOMPARE(imported.rows[i].id, file.rows[i].id);
            QCOMPARE(imported.rows[i].prompt, file.rows[i].prompt.value_or(""));
        }
    }
}

void ImportedRowsTest::what_is_no_regular_file_is_refused_at_once()
{
    const auto pipe = m_folder.path("pipe");
    QCOMPARE(mkfifo(pipe.c_str(), 0600), 0);
    const auto refuses = [](const std::filesystem::path& path, const char* said) {
        return refusesFile([&] { importRows(path, {}, [](SourceRow&&) { return true; }); },
                           {path.string(), said});
    };
    QVERIFY(refuses(pipe, "no regular file"));
    QVERIFY(refuses("/dev/zero", "no regular file"));
    QVERIFY(refuses(m_folder.path("."), "is a folder"));
}

void ImportedRowsTest::a_format_can_be_named()
{
    ImportOptions options;
    options.format = "azure";
    QVERIFY(refusesFile([&] { import("arrived_at,num_prefill_tokens,num_decode_tokens\n0,1,1\n", options); },
                        {"azure", "TIMESTAMP", "arrived_at"}));
    options.format = "parquet";
    QVERIFY(refusesFile([&] { import("x\n", options); }, {"parquet", "sharegpt", "burstgpt"}));
    options.format = "mooncake";
    QVERIFY(refusesFile([&] { import("x,y\n", options); }, {"mooncake"}));
    options.format = "sharegpt";
    QCOMPARE(import("[{\"instruction\": \"a\"}]", options).rows.size(),
             std::size_t{1}); // told by each row's keys
}

void ImportedRowsTest::files_of_no_known_format_are_refused_data()
{
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("said");
    QTest::newRow("empty") << QByteArray() << "no rows";
    QTest::newRow("web page") << QByteArray("<html><body>404</body></html>") << "an HTML page";
    QTest::newRow("unknown table") << QByteArray("when,size\n1,2\n") << "when, size";
    QTest::newRow("unknown objects") << QByteArray("{\"when\": 1}\n") << "the keys when";
    QTest::newRow("no objects") << QByteArray("[1, 2]") << "none of the first rows is a JSON object";
    QTest::newRow("semicolons") << QByteArray("prompt_tokens;output_tokens\n5;6\n") << "by commas";
    QTest::newRow("tabs") << QByteArray("TIMESTAMP\tContextTokens\tGeneratedTokens\n") << "by commas";
    QTest::newRow("UTF-16") << QByteArray("\xFF\xFE[\0]\0", 6) << "save it as UTF-8";
    QTest::newRow("lists in lists") << "[" + QByteArray(100000, '[') << "nested more than";
    QTest::newRow("column twice") << QByteArray("prompt,prompt\n1,2\n") << "is there twice";
}

void ImportedRowsTest::files_of_no_known_format_are_refused()
{
    QFETCH(QByteArray, content);
    QFETCH(QString, said);
    QVERIFY(refusesFile([&] { import(content.toStdString()); }, {said.toStdString(), "file.txt"}));
    QVERIFY(refusesFile([&] { importRows("/nowhere/at/all", {}, [](SourceRow&&) { return true; }); },
                        {"/nowhere/at/all"}));
}

void ImportedRowsTest::an_importer_stops_when_it_is_told()
{
    int taken = 0;
    const auto report =
        importRows(m_folder.write("num_prefill_tokens,num_decode_tokens\n1,1\n2,2\n3,3\nbroken\n"), {},
                   [&](SourceRow&&) { return ++taken < 2; });
    QCOMPARE(taken, 2);
    QCOMPARE(report.rows, std::int64_t{2});
    QCOMPARE(report.skipped, std::int64_t{0});
}

BATCHSCOPE_TEST(ImportedRowsTest)
#include "imported_rows_test.moc"
