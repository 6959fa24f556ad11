// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/store/schema.h"

#include "sessions/error.h"

#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <array>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <system_error>

namespace batchscope::sessions {

namespace {

// Step i brings version i to version i + 1. A step that has been released is never changed.
constexpr std::array<const char*, k_store_version> k_steps{
    R"sql(
CREATE TABLE runs (
    id              INTEGER PRIMARY KEY,
    uuid            TEXT NOT NULL UNIQUE,
    experiment      TEXT NOT NULL,
    session         TEXT NOT NULL,
    name            TEXT NOT NULL,
    started_unix_ms INTEGER NOT NULL,
    status          TEXT,          -- NULL while its process runs
    owner           TEXT NOT NULL, -- the process that writes it
    record          TEXT NOT NULL  -- RunRecord as JSON
);
CREATE TABLE requests (
    run                    INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
    request                INTEGER NOT NULL,
    label                  TEXT NOT NULL,
    prompt                 TEXT NOT NULL,
    prompt_ids             BLOB NOT NULL,
    recorded_output_tokens INTEGER,
    -- from here: figures, set when the run is closed; NULL where it never happened
    prompt_tokens INTEGER, output_tokens INTEGER, arrival_ns INTEGER, dispatched_ns INTEGER, scheduled_ns INTEGER,
    first_token_ns INTEGER, last_token_ns INTEGER, completed_ns INTEGER, row_end TEXT, predicted_tokens INTEGER,
    attempts INTEGER, delivered_steps INTEGER, abandoned_steps INTEGER, abandoned_tokens INTEGER,
    PRIMARY KEY (run, request)
);
CREATE TABLE batches (
    run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
    batch INTEGER NOT NULL, kind TEXT NOT NULL, group_number INTEGER, bin INTEGER, rows INTEGER NOT NULL,
    padded_prompt_tokens INTEGER NOT NULL, first_step INTEGER NOT NULL, steps INTEGER NOT NULL,
    start_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL,
    PRIMARY KEY (run, batch)
);
CREATE TABLE metrics (
    run   INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
    name  TEXT NOT NULL,
    value REAL, -- NULL: no data
    PRIMARY KEY (run, name)
);
CREATE TABLE event_chunks (
    run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
    number INTEGER NOT NULL, events INTEGER NOT NULL, t0_ns INTEGER NOT NULL, t1_ns INTEGER NOT NULL,
    data BLOB NOT NULL, -- event_codec.h
    PRIMARY KEY (run, number)
);
CREATE TABLE token_spans (
    run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    data BLOB NOT NULL, -- event_codec.h
    PRIMARY KEY (run, number)
);
)sql",
    R"sql(
ALTER TABLE runs ADD COLUMN trashed INTEGER NOT NULL DEFAULT 0;
CREATE TABLE pyramid (
    run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
    series TEXT NOT NULL, level INTEGER NOT NULL, width_ns INTEGER NOT NULL,
    data BLOB NOT NULL, -- doubles: minima, maxima, sums
    PRIMARY KEY (run, series, level)
);
CREATE INDEX runs_by_start ON runs(started_unix_ms);
CREATE INDEX runs_by_name ON runs(name);
)sql",
    R"sql(
ALTER TABLE requests ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;
ALTER TABLE requests ADD COLUMN client TEXT NOT NULL DEFAULT '';
)sql"};

int pragma(SQLite::Database& database, const char* name)
{
    return database.execAndGet(std::string("PRAGMA ") + name).getInt();
}

std::filesystem::path freeBackupName(const std::filesystem::path& file, int version)
{
    const std::string base = fmt::format("{}.bak-v{}", file.string(), version);
    std::filesystem::path name = base;
    for (int number = 2; std::filesystem::exists(name); ++number)
        name = fmt::format("{}-{}", base, number);
    return name;
}

} // namespace

void refuseForeignFile(const std::filesystem::path& file)
{
    constexpr std::string_view k_magic("SQLite format 3\0", 16);
    std::error_code absent;
    const auto size = std::filesystem::file_size(file, absent);
    if (absent || size == 0) return;
    std::ifstream stream(file, std::ios::binary);
    std::string head(k_magic.size(), '\0');
    stream.read(head.data(), static_cast<std::streamsize>(head.size()));
    if (!stream && !stream.eof()) return; // SQLite will say why it cannot be read
    head.resize(static_cast<std::size_t>(stream.gcount()));
    if (head == k_magic) return;
    std::string shown;
    for (const char c : head)
        shown += c >= ' ' && c < 0x7F ? std::string(1, c) : std::string("·");
    throw StoreError(
        fmt::format("{}: found a file of {} bytes that begins with \"{}\", expected a Batchscope store "
                    "(SQLite); it was left as it is: move it away, or choose another file with --db",
                    file.string(), size, shown));
}

int storeVersion(SQLite::Database& database, const std::filesystem::path& file)
{
    // In this order: another program may make the store between two of them, and what is read last is then
    // its.
    const int tables = database.execAndGet("SELECT count(*) FROM sqlite_schema").getInt();
    const int version = pragma(database, "user_version");
    const int application = pragma(database, "application_id");
    const bool ours = application == k_application_id || (tables == 0 && application == 0 && version == 0);
    if (!ours)
        throw StoreError(
            fmt::format("{}: found an SQLite database of another program (application id {:#x}), expected "
                        "a Batchscope store ({:#x}); it was left as it is: choose another file with --db",
                        file.string(), application, k_application_id));
    if (version > k_store_version)
        throw StoreError(
            fmt::format("{}: found a store of version {}, written by a newer Batchscope; this one reads up "
                        "to version {}. The file was left as it is: update Batchscope, or choose another "
                        "file with --db",
                        file.string(), version, k_store_version));
    return version;
}

void migrate(SQLite::Database& database, const std::filesystem::path& file)
{
    const int before = storeVersion(database, file);
    if (before == k_store_version) return;
    if (before > 0) {
        SQLite::Statement copy(database, "VACUUM INTO ?");
        copy.bind(1, freeBackupName(file, before).string());
        copy.exec();
    }
    for (int version = before; version < k_store_version; ++version) {
        SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
        if (storeVersion(database, file) != version) continue; // another program was faster
        if (version == 0) database.exec(fmt::format("PRAGMA application_id = {}", k_application_id));
        database.exec(k_steps[static_cast<std::size_t>(version)]);
        database.exec(fmt::format("PRAGMA user_version = {}", version + 1));
        transaction.commit();
    }
}

} // namespace batchscope::sessions
