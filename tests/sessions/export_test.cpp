// SPDX-License-Identifier: GPL-3.0-or-later
// Exports are valid in their format, whole, and written whole or not at all.
#include "sessions/report.h"
#include "sessions/session_document.h"
#include "tests/sessions/stored_samples.h"
#include "tests/support/test_main.h"

#include <csignal>
#include <fstream>
#include <iterator>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace batchscope;
using namespace batchscope::sessions;
using namespace batchscope::tests;
using nlohmann::json;

namespace {

std::string contentOf(const std::filesystem::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

// RFC 4180, read strictly.
std::vector<std::vector<std::string>> readCsv(const std::string& text)
{
    std::vector<std::vector<std::string>> rows(1, {""});
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        auto& field = rows.back().back();
        if (quoted) {
            if (text[i] != '"')
                field += text[i];
            else if (i + 1 < text.size() && text[i + 1] == '"')
                field += text[i++];
            else
                quoted = false;
        } else if (text[i] == '"') {
            quoted = true;
        } else if (text[i] == ',') {
            rows.back().emplace_back();
        } else if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') {
            rows.push_back({""});
            ++i;
        } else {
            field += text[i];
        }
    }
    rows.pop_back();
    return rows;
}

std::size_t filesIn(const std::filesystem::path& folder)
{
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

} // namespace

class ExportTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void csvHasOneLineARequestAndQuotesWhatItMust()
    {
        StoredRun run = sampleRun("a, \"b\"");
        run.record.uuid = "u-1";
        run.requests[1].prompt = "line one\nline \"two\", end\r\n";
        const auto rows = readCsv(exportCsv(run));
        QCOMPARE(rows.size(), std::size_t(5));
        for (const auto& row : rows)
            QCOMPARE(row.size(), rows[0].size());
        std::map<std::string, std::string> second;
        for (std::size_t i = 0; i < rows[0].size(); ++i)
            second[rows[0][i]] = rows[2][i];
        QCOMPARE(second["run"], std::string("u-1"));
        QCOMPARE(second["strategy"], std::string("a, \"b\""));
        QCOMPARE(second["prompt"], std::string("line one\nline \"two\", end\r\n"));
        QCOMPARE(second["output_tokens"], std::string("1"));
        QCOMPARE(second["recorded_output_tokens"], std::string(""));
        QCOMPARE(second["predicted_tokens"], std::string("")); // no data is an empty field, never 0
        QCOMPARE(second["tpot_s"], std::string(""));           // one token has no gap
        QCOMPARE(second["end"], std::string("length"));
        QCOMPARE(second["arrival_s"], std::string("0"));
        QCOMPARE(second["e2el_s"], std::string("0.006")); // six passes of 1 ms, batch-end delivery
        QCOMPARE(second["first_token_s"], std::string("0.001"));
        for (const char* column :
             {"completed_s", "ttft_s", "queueing_delay_s", "delivered_steps", "abandoned_tokens"})
            QVERIFY2(second.contains(column), column);
    }

    void jsonIsStrictAndHoldsTheWholeRun()
    {
        StoredRun run = sampleRun();
        run.requests[0].prompt = "\xff not UTF-8";
        const json all = json::parse(exportJson(run));
        QCOMPARE(all["schema"].get<std::string>(), std::string("batchscope.run/1"));
        QCOMPARE(all["events"].size(), run.log.size());
        QCOMPARE(all["requests"].size(), std::size_t(4));
        QVERIFY(equals(all["requests"][2]["attempt_ids"], {{1, 2, 3, 4, 2'000'000'000}}));
        QVERIFY(equals(all["requests"][2]["output_tokens"], 5));
        QVERIFY(equals(all["requests"][1]["predicted_tokens"], nullptr));
        QVERIFY(equals(all["result"], resultJson(run.record)));
        QCOMPARE(exportJson(run), exportJson(run));
    }

    void aRunThatNeverBeganIsExportedWithItsRequests()
    {
        StoredRun run = sampleRun();
        run.log.clear();
        run.tokens.clear();
        run.record.metrics.reset();
        QCOMPARE(readCsv(exportCsv(run)).size(), std::size_t(5));
        QCOMPARE(json::parse(exportJson(run))["requests"].size(), std::size_t(4));
        QVERIFY(exportEventsJsonl(run.log).empty());
    }

    void aFileIsReplacedWholeAndKeepsItsRights()
    {
        const TemporaryFolder folder;
        writeFileAtomically(folder / "out.txt", "first");
        QCOMPARE(contentOf(folder / "out.txt"), std::string("first"));
        ::chmod((folder / "out.txt").c_str(), 0600);
        writeFileAtomically(folder / "out.txt", "second");
        QCOMPARE(contentOf(folder / "out.txt"), std::string("second"));
        struct stat status
        {};
        QCOMPARE(::stat((folder / "out.txt").c_str(), &status), 0);
        QCOMPARE(status.st_mode & 0777U, 0600U);
        QCOMPARE(filesIn(folder.path()), std::size_t(1));
    }

    void aLinkStaysALink()
    {
        const TemporaryFolder folder;
        writeFileAtomically(folder / "real.txt", "first");
        std::filesystem::create_symlink("real.txt", folder / "link.txt");
        writeFileAtomically(folder / "link.txt", "second");
        QVERIFY(std::filesystem::is_symlink(folder / "link.txt"));
        QCOMPARE(contentOf(folder / "real.txt"), std::string("second"));
    }

    void whatCannotBeWrittenIsNamedAndLeavesNothing()
    {
        const TemporaryFolder folder;
        const auto failure = [](const std::filesystem::path& file) {
            try {
                writeFileAtomically(file, "text");
            } catch (const StoreError& error) {
                return QString::fromStdString(error.what());
            }
            return QString();
        };
        const QString absent = failure(folder / "absent/out.txt");
        QVERIFY2(absent.contains("absent/out.txt: cannot be written") && absent.contains("create the folder"),
                 qPrintable(absent));
        QVERIFY(failure(folder.path()).contains("cannot be written"));
        QCOMPARE(filesIn(folder.path()), std::size_t(0));
    }

    // A file size limit stands for a full disk: the write fails half-way.
    void aWriteThatFailsHalfWayLeavesTheOldFile()
    {
        const TemporaryFolder folder;
        writeFileAtomically(folder / "out.txt", "old");
        const pid_t child = ::fork();
        if (child == 0) {
            ::signal(SIGXFSZ, SIG_IGN);
            const rlimit limit{4096, 4096};
            ::setrlimit(RLIMIT_FSIZE, &limit);
            try {
                writeFileAtomically(folder / "out.txt", std::string(100'000, 'x'));
            } catch (const StoreError&) {
                ::_exit(3);
            }
            ::_exit(0);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        QVERIFY(WIFEXITED(status) && WEXITSTATUS(status) == 3);
        QCOMPARE(contentOf(folder / "out.txt"), std::string("old"));
        QCOMPARE(filesIn(folder.path()), std::size_t(1));
    }

    void readyMadeSessionsAreReadWithoutAWarning()
    {
        // The window's own registry adds pooled-mlp; here it is a part of the format that this room lacks.
        const Registry registry = Registry::withBuiltinParts();
        int seen = 0;
        for (const auto& entry :
             std::filesystem::directory_iterator(BATCHSCOPE_SOURCE_DIR "/sessions/examples")) {
            if (entry.path().extension() != ".json") continue;
            ++seen;
            const SessionDocument document = readSession(entry.path(), registry);
            QVERIFY2(document.warnings.empty(), entry.path().c_str());
            QVERIFY2(whyNotRunnable(document, registry).empty(), entry.path().c_str());
            QVERIFY(document.strategies.size() >= 2);
            if (!document.workload.source.path.empty())
                QVERIFY(std::filesystem::exists(document.resolvePath(document.workload.source.path)));
            const CheckContext context{document.backend.type == BackendSpec::Type::Simulated, true, true};
            for (const auto& strategy : document.strategies) {
                if (strategy.predictor.type == "pooled-mlp") continue;
                for (const auto& problem : checkStrategy(strategy, registry, context))
                    QVERIFY2(problem.severity != Severity::Refused, problem.message.c_str());
            }
        }
        QVERIFY(seen >= 3);
    }
};

BATCHSCOPE_TEST(ExportTest)
#include "export_test.moc"
