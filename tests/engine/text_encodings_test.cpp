// SPDX-License-Identifier: GPL-3.0-or-later
// Text files as editors write them: UTF-16 is named with its remedy, the byte order mark of UTF-8 means
// nothing.
#include "engine/checkpoint/file_kind.h"
#include "engine/data/conversations.h"
#include "engine/data/recorded_lengths.h"
#include "engine/data/request_file.h"
#include "tests/support/engine_error.h"
#include "tests/support/model_files.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

using namespace batchscope::engine;
using namespace batchscope::tests;

namespace {

constexpr const char* k_request = "{\"id\": \"x\", \"prompt\": \"p\", \"output_tokens\": 7}\n";
constexpr const char* k_csv = "id,prompt,output_tokens\nx,p,7\n";
constexpr const char* k_conversations = "[{\"instruction\": \"A\"}]";

// Of ASCII text.
std::string utf16(const std::string& text, bool little)
{
    std::string wide = little ? "\xFF\xFE" : "\xFE\xFF";
    for (const char c : text)
        wide += little ? std::string{c, '\0'} : std::string{'\0', c};
    return wide;
}

} // namespace

class TextEncodingsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void utf16IsNamedWithItsRemedy_data()
    {
        QTest::addColumn<bool>("little");
        QTest::newRow("FF FE") << true;
        QTest::newRow("FE FF") << false;
    }

    void utf16IsNamedWithItsRemedy()
    {
        QFETCH(bool, little);
        const auto names_it = [&](const char* name, const std::string& text, const auto& read) {
            const auto path = file(name, utf16(text, little));
            return refusesFile([&] { read(path); },
                               {path.string(), "UTF-16", little ? "FF FE" : "FE FF", "save it as UTF-8"});
        };
        QVERIFY(names_it("a.jsonl", k_request, readRequestFile));
        QVERIFY(names_it("a.csv", k_csv, readRequestFile));
        QVERIFY(names_it("a.json", k_conversations, [](const auto& path) { readConversations(path); }));
        QVERIFY(names_it("lengths.json", "[{\"id\": \"x\", \"L_gt\": 1}]", readRecordedLengths));
        QVERIFY(names_it("lengths.jsonl", k_request, readRecordedLengths));
        QCOMPARE(describeContent(utf16("{}", little)), std::string("UTF-16 text"));
    }

    void theMarkOfUtf8IsNoText()
    {
        const std::string mark = "\xEF\xBB\xBF";
        for (const auto& path : {file("a.jsonl", mark + k_request), file("a.csv", mark + k_csv)}) {
            const RequestFile read = readRequestFile(path);
            QCOMPARE(read.rows.size(), std::size_t{1});
            QCOMPARE(read.rows[0].id, std::string("x"));
            QVERIFY(read.unknown_columns.empty());
            QCOMPARE(readRecordedLengths(path), (std::map<std::string, int>{{"x", 7}}));
        }
        QCOMPARE(readConversations(file("a.json", mark + k_conversations)).conversations.size(),
                 std::size_t{1});
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

BATCHSCOPE_TEST(TextEncodingsTest)
#include "text_encodings_test.moc"
