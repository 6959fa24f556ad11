// SPDX-License-Identifier: GPL-3.0-or-later
// Files that are not what the store expects: told by name, left as they are (public reports D1, D2, D3).
#include "sessions/run_store.h"
#include "tests/sessions/stored_samples.h"
#include "tests/support/test_main.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fstream>
#include <functional>
#include <iterator>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace batchscope;
using namespace batchscope::sessions;
using namespace batchscope::tests;

namespace {

RunStoreOptions quick(Access access = Access::ReadWrite)
{
    RunStoreOptions options;
    options.access = access;
    options.busy_timeout = std::chrono::milliseconds(100);
    options.commit_interval = std::chrono::milliseconds(5);
    return options;
}

std::string contentOf(const std::filesystem::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void put(const std::filesystem::path& file, const std::string& content)
{
    std::ofstream(file, std::ios::binary) << content;
}

QString failure(const std::function<void()>& work)
{
    try {
        work();
    } catch (const StoreError& error) {
        return QString::fromStdString(error.what());
    }
    return {};
}

QString opening(const std::filesystem::path& file)
{
    return failure([&] { const RunStore store(file, quick()); });
}

// A store as the first version of its layout wrote it: SQL of its own, so that a later change of the
// program's steps cannot change it too.
void makeVersionOne(const std::filesystem::path& file)
{
    SQLite::Database database(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    database.exec(
        "PRAGMA application_id = 1114919779; PRAGMA user_version = 1;"
        "CREATE TABLE runs (id INTEGER PRIMARY KEY, uuid TEXT NOT NULL UNIQUE, experiment TEXT NOT NULL, "
        "session "
        "TEXT NOT NULL, name TEXT NOT NULL, started_unix_ms INTEGER NOT NULL, status TEXT, owner TEXT NOT "
        "NULL, "
        "record TEXT NOT NULL);"
        "CREATE TABLE requests (run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE, request INTEGER "
        "NOT "
        "NULL, label TEXT NOT NULL, prompt TEXT NOT NULL, prompt_ids BLOB NOT NULL, recorded_output_tokens "
        "INTEGER, prompt_tokens INTEGER, output_tokens INTEGER, arrival_ns INTEGER, dispatched_ns INTEGER, "
        "scheduled_ns INTEGER, first_token_ns INTEGER, last_token_ns INTEGER, completed_ns INTEGER, row_end "
        "TEXT, "
        "predicted_tokens INTEGER, attempts INTEGER, delivered_steps INTEGER, abandoned_steps INTEGER, "
        "abandoned_tokens INTEGER, PRIMARY KEY (run, request));"
        "CREATE TABLE batches (run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE, batch INTEGER NOT "
        "NULL, "
        "kind TEXT NOT NULL, group_number INTEGER, bin INTEGER, rows INTEGER NOT NULL, padded_prompt_tokens "
        "INTEGER NOT NULL, first_step INTEGER NOT NULL, steps INTEGER NOT NULL, start_ns INTEGER NOT NULL, "
        "end_ns "
        "INTEGER NOT NULL, PRIMARY KEY (run, batch));"
        "CREATE TABLE metrics (run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE, name TEXT NOT "
        "NULL, "
        "value REAL, PRIMARY KEY (run, name));"
        "CREATE TABLE event_chunks (run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE, number "
        "INTEGER NOT "
        "NULL, events INTEGER NOT NULL, t0_ns INTEGER NOT NULL, t1_ns INTEGER NOT NULL, data BLOB NOT NULL, "
        "PRIMARY KEY (run, number));"
        "CREATE TABLE token_spans (run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE, number "
        "INTEGER NOT "
        "NULL, data BLOB NOT NULL, PRIMARY KEY (run, number));"
        "INSERT INTO runs VALUES (7, '11112222-0000-4000-8000-000000000000', 'e', 's', 'of version one', 5, "
        "'completed', '', '{\"uuid\":\"11112222-0000-4000-8000-000000000000\",\"name\":\"of version one\","
        "\"status\":\"completed\",\"strategy\":{\"name\":\"v\"},\"requests\":3}')");
}

} // namespace

class StoreTroubleTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void anEmptyFileBecomesAStore()
    {
        const TemporaryFolder folder;
        put(folder / "runs.db", "");
        RunStore store(folder / "runs.db", quick());
        QVERIFY(store.runs().empty());
        QVERIFY(store.save(sampleRun()) > 0);
    }

    void aTextFileIsNamedAndLeftAsItIs()
    {
        const TemporaryFolder folder;
        put(folder / "runs.db", "version https://git-lfs\noid sha256:0");
        const QString message = opening(folder / "runs.db");
        QVERIFY2(message.contains("begins with \"version https://\"") &&
                     message.contains("expected a Batchscope store") && message.contains("--db"),
                 qPrintable(message));
        QCOMPARE(contentOf(folder / "runs.db"), std::string("version https://git-lfs\noid sha256:0"));
    }

    void aDatabaseOfAnotherProgramIsLeftAsItIs()
    {
        const TemporaryFolder folder;
        SQLite::Database((folder / "runs.db").string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
            .exec("CREATE TABLE places (url TEXT)");
        const std::string before = contentOf(folder / "runs.db");
        const QString message = opening(folder / "runs.db");
        QVERIFY2(message.contains("database of another program"), qPrintable(message));
        QCOMPARE(contentOf(folder / "runs.db"), before);
    }

    void aNewerStoreIsRefusedNamingBothVersions()
    {
        const TemporaryFolder folder;
        makeVersionOne(folder / "runs.db");
        SQLite::Database((folder / "runs.db").string(), SQLite::OPEN_READWRITE)
            .exec("PRAGMA user_version = 12");
        const std::string before = contentOf(folder / "runs.db");
        const QString message = opening(folder / "runs.db");
        QVERIFY2(message.contains("store of version 12") && message.contains("up to version 3"),
                 qPrintable(message));
        QCOMPARE(contentOf(folder / "runs.db"), before);
        QVERIFY(!std::filesystem::exists((folder / "runs.db").string() + ".bak-v12"));
    }

    void anOlderStoreIsCopiedThenMigrated()
    {
        const TemporaryFolder folder;
        makeVersionOne(folder / "runs.db");
        put((folder / "runs.db").string() + ".bak-v1", "an older copy"); // never overwritten
        {
            RunStore store(folder / "runs.db", quick());
            const auto runs = store.runs();
            QCOMPARE(runs.size(), std::size_t(1));
            QCOMPARE(runs[0].id, RunId(7));
            QCOMPARE(runs[0].name, std::string("of version one"));
            QCOMPARE(runs[0].requests, 3);
            QVERIFY(store.load(store.save(sampleRun())).log == sampleRun().log);
        }
        SQLite::Database now((folder / "runs.db").string());
        QCOMPARE(now.execAndGet("PRAGMA user_version").getInt(), 3);
        QCOMPARE(contentOf((folder / "runs.db").string() + ".bak-v1"), std::string("an older copy"));
        SQLite::Database copy((folder / "runs.db").string() + ".bak-v1-2");
        QCOMPARE(copy.execAndGet("PRAGMA user_version").getInt(), 1);
        QCOMPARE(copy.execAndGet("SELECT count(*) FROM runs").getInt(), 1);
        QVERIFY(opening(folder / "runs.db").isEmpty()); // and no second copy is made
        QVERIFY(!std::filesystem::exists((folder / "runs.db").string() + ".bak-v2"));
    }

    void aMigratedStoreHasTheLayoutOfANewOne()
    {
        const TemporaryFolder folder;
        makeVersionOne(folder / "old.db");
        QVERIFY(opening(folder / "old.db").isEmpty() && opening(folder / "new.db").isEmpty());
        const auto columns = [](const std::filesystem::path& file) {
            SQLite::Database database(file.string());
            SQLite::Statement rows(database,
                                   "SELECT m.name || '.' || c.name || ' ' || c.type FROM sqlite_schema m, "
                                   "pragma_table_info(m.name) c WHERE m.type = 'table' ORDER BY 1");
            QStringList all;
            while (rows.executeStep())
                all << QString::fromStdString(rows.getColumn(0).getString());
            return all;
        };
        QCOMPARE(columns(folder / "old.db"), columns(folder / "new.db"));
    }

    void aFailedMigrationLeavesTheVersion()
    {
        const TemporaryFolder folder;
        makeVersionOne(folder / "runs.db");
        // What the second step makes is there already: it fails in its middle.
        SQLite::Database((folder / "runs.db").string(), SQLite::OPEN_READWRITE)
            .exec("CREATE TABLE pyramid (x)");
        QVERIFY(!opening(folder / "runs.db").isEmpty());
        SQLite::Database now((folder / "runs.db").string());
        QCOMPARE(now.execAndGet("PRAGMA user_version").getInt(), 1);
        QCOMPARE(
            now.execAndGet("SELECT count(*) FROM pragma_table_info('runs') WHERE name = 'trashed'").getInt(),
            0);
    }

    void aLockedFileIsToldOfAfterTheWait()
    {
        const TemporaryFolder folder;
        QVERIFY(opening(folder / "runs.db").isEmpty());
        SQLite::Database other((folder / "runs.db").string(), SQLite::OPEN_READWRITE);
        other.exec("BEGIN EXCLUSIVE");
        const QString message = opening(folder / "runs.db");
        QVERIFY2(message.contains("locked by another program") && message.contains("--db"),
                 qPrintable(message));
        other.exec("ROLLBACK");
        QVERIFY(opening(folder / "runs.db").isEmpty());
    }

    void aLockDuringARunKeepsItsDataAndFinishCanBeTriedAgain()
    {
        const TemporaryFolder folder;
        RunStore store(folder / "runs.db", quick());
        const StoredRun run = sampleRun();
        const auto writer = store.begin(run.record, run.requests);
        SQLite::Database other((folder / "runs.db").string(), SQLite::OPEN_READWRITE);
        other.exec("BEGIN IMMEDIATE");
        writer->append(run.log);
        for (const auto& [attempt, ids] : run.tokens)
            writer->appendTokens(attempt.first, attempt.second, ids);
        for (int i = 0; i < 1'000 && writer->error().empty(); ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        QVERIFY2(writer->error().find("locked") != std::string::npos, writer->error().c_str());
        const QString message = failure([&] { writer->finish(run.record); });
        QVERIFY2(message.contains("locked by another program"), qPrintable(message));
        QVERIFY(store.load(writer->id()).log.empty()); // nothing by halves

        // Elsewhere at once ...
        RunStore elsewhere(folder / "elsewhere.db", quick());
        QVERIFY(elsewhere.load(elsewhere.save(run)).log == run.log);
        // ... or here when the lock is gone.
        other.exec("ROLLBACK");
        writer->finish(run.record);
        QVERIFY(store.load(writer->id()).log == run.log);
        QVERIFY(store.load(writer->id()).tokens == run.tokens);
    }

    void aFileRemovedDuringARunIsToldOf()
    {
        const TemporaryFolder folder;
        RunStore store(folder / "runs.db", quick());
        const StoredRun run = sampleRun();
        const auto writer = store.begin(run.record, {});
        std::filesystem::remove(folder / "runs.db");
        writer->append(run.log);
        const QString message = failure([&] { writer->finish(run.record); });
        QVERIFY2(message.contains("removed or replaced"), qPrintable(message));
    }

    void foldersThatCannotBeWrittenAreNamed()
    {
        const TemporaryFolder folder;
        put(folder / "file", "x");
        QVERIFY2(opening(folder / "file/runs.db").contains("its folder cannot be made"),
                 qPrintable(opening(folder / "file/runs.db")));
        QVERIFY(opening(folder.path()).contains("found a folder, expected a file"));
        QVERIFY(opening("").contains("has no file name"));
    }

    // Rights bind no administrator, so a child gives up that power first.
    void aFolderWithoutRightsIsNamed()
    {
        const TemporaryFolder folder;
        std::filesystem::create_directory(folder / "locked");
        QVERIFY(opening(folder / "locked/old.db").isEmpty());
        std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
        std::filesystem::permissions(folder / "locked", std::filesystem::perms(0555));
        int result[2];
        QCOMPARE(::pipe(result), 0);
        const pid_t child = ::fork();
        if (child == 0) {
            if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) ::_exit(77);
            std::string text = opening(folder / "locked/new.db").toStdString() + "\n" +
                               opening(folder / "locked/old.db").toStdString() + "\n";
            const QString reading =
                failure([&] { const RunStore store(folder / "locked/old.db", quick(Access::ReadOnly)); });
            text += reading.isEmpty() ? "readable" : reading.toStdString();
            ::_exit(::write(result[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0
                                                                                                      : 1);
        }
        ::close(result[1]);
        std::string text(4096, '\0');
        const ssize_t size = ::read(result[0], text.data(), text.size());
        int status = 0;
        ::waitpid(child, &status, 0);
        std::filesystem::permissions(folder / "locked", std::filesystem::perms(0755));
        if (WEXITSTATUS(status) == 77) QSKIP("the tests may not change their user here");
        QVERIFY(size > 0);
        const QStringList lines =
            QString::fromStdString(text.substr(0, static_cast<std::size_t>(size))).split('\n');
        QCOMPARE(lines.size(), 3);
        QVERIFY2(lines[0].contains("cannot be written; change its rights"), qPrintable(lines[0]));
        QVERIFY2(lines[1].contains("cannot be written; change its rights"), qPrintable(lines[1]));
        QCOMPARE(lines[2], QString("readable"));
    }

    void aStoreOpenedForReadingWritesNothing()
    {
        const TemporaryFolder folder;
        QVERIFY(failure([&] {
                    const RunStore store(folder / "absent.db", quick(Access::ReadOnly));
                }).contains("no such store"));
        QVERIFY(!std::filesystem::exists(folder / "absent.db"));
        RunId id = 0;
        {
            RunStore store(folder / "runs.db", quick());
            id = store.save(sampleRun());
        }
        RunStore store(folder / "runs.db", quick(Access::ReadOnly));
        QVERIFY(store.load(id).log == sampleRun().log);
        QVERIFY(failure([&] { store.setTrashed(id, true); }).contains("for reading only"));
        QVERIFY(failure([&] { store.begin(sampleRecord("x", 1), {}); }).contains("for reading only"));
    }

    // Wherever bytes are overwritten: the store opens or says why not, and whatever it then reads is right or
    // refused.
    void damageIsToldOfAndNeverDeletes()
    {
        const TemporaryFolder folder;
        const StoredRun run = sampleRun();
        {
            RunStore store(folder / "whole.db", quick());
            for (int i = 0; i < 3; ++i)
                store.save(run);
        }
        const std::string whole = contentOf(folder / "whole.db");
        QVERIFY(whole.size() > 8'192);
        int told = 0;
        for (std::size_t at = 100; at + 64 < whole.size(); at += 1'531) {
            std::string broken = whole;
            broken.replace(at, 64, std::string(64, '\xA5'));
            put(folder / "runs.db", broken);
            const QString message = failure([&] {
                const RunStore store(folder / "runs.db", quick(Access::ReadOnly));
                for (const auto& record : store.runs())
                    store.load(record.id);
            });
            if (!message.isEmpty()) ++told;
            QVERIFY(contentOf(folder / "runs.db") == broken);
        }
        QVERIFY(told > 0);
    }

    void aDamagedChunkIsNamedAndTheOtherRunsStayReadable()
    {
        const TemporaryFolder folder;
        RunStore store(folder / "runs.db", quick());
        const RunId bad = store.save(sampleRun("bad")), good = store.save(sampleRun("good"));
        SQLite::Database other((folder / "runs.db").string(), SQLite::OPEN_READWRITE, 1000);
        other.exec("UPDATE event_chunks SET data = zeroblob(40) WHERE run = " + std::to_string(bad));
        const QString message = failure([&] { store.load(bad); });
        QVERIFY2(message.contains("run " + QString::number(bad) + ", event chunk 0: damaged"),
                 qPrintable(message));
        QCOMPARE(store.runs().size(), std::size_t(2));
        QVERIFY(store.load(good).log == sampleRun().log);
        other.exec("UPDATE runs SET record = '{\"seed\": \"x\"' WHERE id = " + std::to_string(bad));
        const RunRecord record = store.record(bad);
        QVERIFY(record.message.find("damaged") != std::string::npos);
        QCOMPARE(record.name, std::string("bad"));
    }
};

BATCHSCOPE_TEST(StoreTroubleTest)
#include "store_trouble_test.moc"
