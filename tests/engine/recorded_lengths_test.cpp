// SPDX-License-Identifier: GPL-3.0-or-later
// Recorded lengths go by the labels that the data set's own rows have.
#include "engine/data/recorded_lengths.h"

#include "engine/data/request_file.h"
#include "tests/support/engine_error.h"
#include "tests/support/model_files.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

using namespace batchscope::engine;
using namespace batchscope::tests;

using Lengths = std::map<std::string, int>;

class RecordedLengthsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsRequestFilesAndTheReferenceList()
    {
        QCOMPARE(
            readRecordedLengths(file("a.jsonl", "{\"id\": \"x\", \"prompt\": \"p\", \"output_tokens\": 7}\n"
                                                "{\"id\": 5, \"prompt\": \"q\", \"output_tokens\": 9}\n"
                                                "{\"id\": \"none\", \"prompt\": \"r\"}\n")),
            (Lengths{{"x", 7}, {"5", 9}}));
        QCOMPARE(readRecordedLengths(
                     file("b.json", R"([{"id": "x", "L_t0.0": 7, "L_gt": 1}, {"id": 5, "L_gt": 9}])")),
                 (Lengths{{"x", 7}, {"5", 9}}));
    }

    void rowsWithoutAnIdGoByTheirNumber()
    {
        const auto path = file("a.jsonl", "{\"prompt\": \"p\", \"output_tokens\": 7}\n"
                                          "{\"output_tokens\": 8}\n"
                                          "{\"prompt\": \"q\", \"output_tokens\": 9}\n"
                                          "{\"id\": \"own\", \"prompt\": \"q\", \"output_tokens\": 10}\n");
        QCOMPARE(readRecordedLengths(path), (Lengths{{"row 1", 7}, {"row 3", 9}, {"own", 10}}));
        RequestFile read = readRequestFile(path);
        labelRows(read);
        QCOMPARE(read.rows[1].id, std::string("row 3"));
        QCOMPARE(readRecordedLengths(file("b.json", R"([{"output_tokens": 7}, {"output_tokens": 9}])")),
                 (Lengths{{"row 1", 7}, {"row 2", 9}}));
    }

    void anAnswerMayBeEmpty()
    {
        const std::string row = "{\"id\": \"x\", \"prompt\": \"p\", \"output_tokens\": 0}\n";
        QCOMPARE(readRecordedLengths(file("a.jsonl", row)), (Lengths{{"x", 0}}));
        QCOMPARE(readRecordedLengths(file("b.json", R"([{"id": "x", "L_t0.0": 0}])")), (Lengths{{"x", 0}}));
    }

    void twoLengthsForOneLabelAreRefused()
    {
        const auto path = file("a.jsonl", "{\"id\": \"x\", \"prompt\": \"p\", \"output_tokens\": 7}\n"
                                          "{\"id\": \"x\", \"prompt\": \"p\", \"output_tokens\": 8}\n");
        QVERIFY(
            refusesFile([&] { readRecordedLengths(path); }, {"a.jsonl", "\"x\" has two lengths, 7 and 8"}));
    }

private:
    std::filesystem::path file(const char* name, const std::string& content) const
    {
        const std::filesystem::path path = m_dir.filePath(name).toStdString();
        writeBytes(path, content);
        return path;
    }
    QTemporaryDir m_dir;
};

BATCHSCOPE_TEST(RecordedLengthsTest)
#include "recorded_lengths_test.moc"
