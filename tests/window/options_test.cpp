// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/exit_code.h"
#include "app/window/options.h"
#include "app/window/session_files.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>
#include <fstream>

using namespace batchscope;
using window::DropKind;
using window::ParsedOptions;
using window::parseOptions;

namespace {

ParsedOptions parse(std::vector<std::string> words)
{
    words.insert(words.begin(), "batchscope");
    std::vector<char*> argv;
    for (std::string& word : words)
        argv.push_back(word.data());
    return parseOptions(static_cast<int>(argv.size()), argv.data());
}

} // namespace

class OptionsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsEveryOption()
    {
        const auto parsed =
            parse({"--session", "s.json", "--run", "--screenshots", "out", "--compare", "1", "2", "3",
                   "--theme", "dark", "--reset-layout", "--db", "r.db", "--size", "1280x800"});
        QVERIFY(parsed.options);
        const window::WindowOptions& o = *parsed.options;
        QCOMPARE(o.session, std::filesystem::path("s.json"));
        QVERIFY(o.run && o.reset_layout);
        QCOMPARE(o.screenshots, std::filesystem::path("out"));
        QCOMPARE(o.compare, (std::vector<std::string>{"1", "2", "3"}));
        QCOMPARE(o.theme, std::optional(widgets::Theme::Dark));
        QCOMPARE(o.database, std::filesystem::path("r.db"));
        QCOMPARE(o.size, std::optional(QSize(1280, 800)));
        QCOMPARE(parse({"t.json"}).options->session, std::filesystem::path("t.json"));
        QVERIFY(!parse({}).options->theme);
    }

    void refusesNonsenseWithTheUsageCode()
    {
        for (const auto& words : std::vector<std::vector<std::string>>{{"--theme", "pink"},
                                                                       {"--size", "1280"},
                                                                       {"--size", "10x10"},
                                                                       {"--compare", "1"},
                                                                       {"--nothing"}}) {
            const auto parsed = parse(words);
            QVERIFY2(!parsed.options, words.front().c_str());
            QCOMPARE(parsed.exit_code, static_cast<int>(cli::Usage));
        }
        QCOMPARE(parse({"--help"}).exit_code, 0);
    }

    void tellsDroppedFilesApart()
    {
        const QTemporaryDir dir;
        const std::filesystem::path at = dir.path().toStdString();
        std::ofstream(at / "s.json") << R"({"schema": "batchscope.session/1"})";
        std::ofstream(at / "alpaca.json") << R"([{"instruction": "Say hello", "output": "hello"}])";
        std::ofstream(at / "requests.jsonl") << R"({"prompt": "a", "output_tokens": 3})" << '\n';
        std::ofstream(at / "talks.jsonl") << R"({"conversations": []})" << '\n';
        std::ofstream(at / "r.csv") << "prompt\n";
        std::ofstream(at / "x.txt") << "x";
        std::ofstream(at / "azure.csv") << "TIMESTAMP,ContextTokens,GeneratedTokens\n"
                                           "2023-11-16 18:15:46.68,374,44\n";
        std::ofstream(at / "ssjf.csv") << "output_token_length,predicted_length\n40,44.5\n";
        QCOMPARE(window::kindOfDrop(at / "azure.csv"), DropKind::Trace);
        QCOMPARE(window::kindOfDrop(at / "ssjf.csv"), DropKind::DataSet);
        QCOMPARE(window::kindOfDrop("/dev/zero"), DropKind::Unknown);
        std::filesystem::create_directory(at / "model");
        std::ofstream(at / "model" / "config.json") << "{}";
        QCOMPARE(window::kindOfDrop(at / "s.json"), DropKind::Session);
        QCOMPARE(window::kindOfDrop(at / "alpaca.json"), DropKind::DataSet);
        QCOMPARE(window::kindOfDrop(at / "talks.jsonl"), DropKind::DataSet);
        QCOMPARE(window::kindOfDrop(at / "requests.jsonl"), DropKind::Requests);
        QCOMPARE(window::kindOfDrop(at / "r.csv"), DropKind::Requests);
        QCOMPARE(window::kindOfDrop(at / "model"), DropKind::ModelFolder);
        QCOMPARE(window::kindOfDrop(at / "x.txt"), DropKind::Unknown);
        QCOMPARE(window::kindOfDrop(at), DropKind::Unknown);
    }

    void keepsADraftWithAbsolutePaths()
    {
        const QTemporaryDir dir;
        const std::filesystem::path at = dir.path().toStdString();
        const window::SessionFiles files(at / "data");
        QVERIFY(!files.hasDraft());
        sessions::SessionDocument document;
        document.name = "Draft";
        document.backend.model = "demo";
        document.file = at / "here" / "s.json";
        document.workload.source.type = "file";
        document.workload.source.path = "requests.jsonl";
        files.keepDraft(document);
        QVERIFY(files.hasDraft());
        const auto read = sessions::readSession(files.draftFile(), Registry::withBuiltinParts());
        QCOMPARE(read.name, std::string("Draft"));
        QCOMPARE(std::filesystem::path(read.workload.source.path), at / "here" / "requests.jsonl");
        files.dropDraft();
        QVERIFY(!files.hasDraft());
    }
};

BATCHSCOPE_TEST(OptionsTest)
#include "options_test.moc"
