// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/store/run_reading.h"

#include "sessions/event_codec.h"
#include "sessions/record_json.h"
#include "sessions/store/owner.h"
#include "sessions/store/run_closing.h"
#include "sessions/store/schema.h"
#include "sessions/store/store_errors.h"

#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <charconv>
#include <fmt/format.h>

namespace batchscope::sessions {

namespace {

std::string uriOf(const std::filesystem::path& file)
{
    std::string uri = "file:";
    for (const char c : std::filesystem::absolute(file).string())
        uri += c == '?' || c == '#' || c == '%' ? fmt::format("%{:02X}", static_cast<unsigned char>(c))
                                                : std::string(1, c);
    return uri + "?immutable=1";
}

SQLite::Database openForReading(const std::filesystem::path& file, const RunStoreOptions& options)
{
    const int timeout = static_cast<int>(options.busy_timeout.count());
    if (options.access == Access::ReadWrite) return {file, SQLite::OPEN_READONLY, timeout};
    refuseForeignFile(file);
    if (!std::filesystem::exists(file)) throw StoreError(file.string() + ": there is no such store");
    try {
        SQLite::Database database(file, SQLite::OPEN_READONLY, timeout);
        storeVersion(database, file);
        return database;
    } catch (const SQLite::Exception&) {
        // A WAL file in a folder that cannot be written: read as it stands, without its shared memory.
        return {uriOf(file), SQLite::OPEN_READONLY | SQLite::OPEN_URI, timeout};
    }
}

std::string_view blobOf(const SQLite::Column& column)
{
    return {static_cast<const char*>(column.getBlob()), static_cast<std::size_t>(column.getBytes())};
}

constexpr const char* k_columns =
    "SELECT id, name, session, started_unix_ms, status, owner, record, trashed FROM runs";

RunRecord readRecord(SQLite::Statement& row)
{
    const RunId id = row.getColumn(0).getInt64();
    RunRecord record;
    try {
        const auto json = nlohmann::json::parse(row.getColumn(6).getString(), nullptr, false);
        record = recordFromJson(json, fmt::format("run {}", id));
    } catch (const StoreError& damage) {
        // One damaged record does not hide the others.
        record.session = row.getColumn(2).getString();
        record.started_unix_ms = row.getColumn(3).getInt64();
        record.status = RunStatus::Failed;
        record.message = damage.what();
    }
    record.id = id;
    record.name = row.getColumn(1).getString();
    record.trashed = row.getColumn(7).getInt() != 0;
    if (row.getColumn(4).isNull() && !isProcessAlive(row.getColumn(5).getString())) {
        record.status = RunStatus::Interrupted;
        record.message = "its process ended before the run did; what was written until then is kept";
    }
    return record;
}

StoredRequest readRequest(SQLite::Statement& row, RunId run)
{
    StoredRequest request;
    request.index = row.getColumn(0).getUInt();
    request.id = row.getColumn(1).getString();
    request.prompt = row.getColumn(2).getString();
    request.prompt_ids =
        decodeIds(blobOf(row.getColumn(3)), fmt::format("run {}, prompt of request {}", run, request.index));
    if (!row.getColumn(4).isNull()) request.recorded_output_tokens = row.getColumn(4).getInt();
    request.priority = row.getColumn(5).getInt();
    request.client = row.getColumn(6).getString();
    return request;
}

} // namespace

StoreReader::StoreReader(const std::filesystem::path& file, const RunStoreOptions& options)
    : m_file(file),
      m_database(explained(file, "cannot be opened", [&] { return openForReading(file, options); }))
{
    const int version = explained(file, "cannot be read", [&] { return storeVersion(m_database, file); });
    if (version != k_store_version)
        throw StoreError(
            fmt::format("{}: found a store of version {}, expected {}: open it once where it can be "
                        "written, so that it is brought to this version",
                        file.string(), version, k_store_version));
}

// One consistent view of the file for the whole of `work`, which gets the connection.
template <class Work>
auto StoreReader::reading(const std::string& doing, Work&& work) const
{
    const std::lock_guard lock(m_mutex);
    return explained(m_file, doing, [&] {
        const SQLite::Transaction view(m_database);
        return work(m_database);
    });
}

std::vector<RunRecord> StoreReader::runs(bool trashed) const
{
    return reading("the runs cannot be listed", [&](SQLite::Database& database) {
        SQLite::Statement rows(database, std::string(k_columns) +
                                             " WHERE trashed = ? ORDER BY started_unix_ms DESC, id DESC");
        rows.bind(1, trashed ? 1 : 0);
        std::vector<RunRecord> records;
        while (rows.executeStep())
            records.push_back(readRecord(rows));
        return records;
    });
}

RunRecord StoreReader::record(RunId id) const
{
    return reading(fmt::format("run {} cannot be read", id), [&](SQLite::Database& database) {
        SQLite::Statement row(database, std::string(k_columns) + " WHERE id = ?");
        row.bind(1, id);
        if (!row.executeStep())
            throw StoreError(
                fmt::format("{}: there is no run {}; \"batchscope-cli runs\" lists those there are",
                            m_file.string(), id));
        return readRecord(row);
    });
}

RunRecord StoreReader::find(const std::string& key) const
{
    constexpr std::size_t k_shortest_uuid = 4; // characters that may stand for a uuid
    return reading("the runs cannot be searched", [&](SQLite::Database& database) {
        RunId id = 0;
        const auto end = std::from_chars(key.data(), key.data() + key.size(), id).ptr;
        if (!key.empty() && end == key.data() + key.size()) {
            SQLite::Statement row(database, std::string(k_columns) + " WHERE id = ?");
            row.bind(1, id);
            if (row.executeStep()) return readRecord(row);
        }
        if (key.size() >= k_shortest_uuid) {
            SQLite::Statement row(database,
                                  std::string(k_columns) + " WHERE substr(uuid, 1, length(?1)) = ?1 LIMIT 2");
            row.bind(1, key);
            if (row.executeStep()) {
                const RunRecord found = readRecord(row);
                if (row.executeStep())
                    throw StoreError(
                        fmt::format("{}: more than one run's uuid begins with \"{}\"; give more of it",
                                    m_file.string(), key));
                return found;
            }
        }
        SQLite::Statement row(database,
                              std::string(k_columns) +
                                  " WHERE name = ? ORDER BY trashed, started_unix_ms DESC, id DESC LIMIT 1");
        row.bind(1, key);
        if (row.executeStep()) return readRecord(row);
        throw StoreError(
            fmt::format("{}: there is no run \"{}\" (looked for an id, a uuid and a name); \"batchscope-cli "
                        "runs\" lists those there are",
                        m_file.string(), key));
    });
}

StoredRun StoreReader::load(RunId id) const
{
    StoredRun run;
    run.record = record(id);
    reading(fmt::format("run {} cannot be read", id), [&](SQLite::Database& database) {
        run.log = readLog(database, id);
        SQLite::Statement spans(database,
                                "SELECT number, data FROM token_spans WHERE run = ? ORDER BY number");
        spans.bind(1, id);
        while (spans.executeStep())
            decodeTokens(blobOf(spans.getColumn(1)),
                         fmt::format("run {}, token span {}", id, spans.getColumn(0).getInt64()), run.tokens);
        SQLite::Statement requests(
            database, "SELECT request, label, prompt, prompt_ids, recorded_output_tokens, priority, "
                      "client FROM requests WHERE run = ? ORDER BY request");
        requests.bind(1, id);
        while (requests.executeStep())
            run.requests.push_back(readRequest(requests, id));
    });
    // A run that was never closed has no figures of its own yet: what it has is in its log.
    if (!run.record.metrics && run.record.status && !run.log.empty())
        run.record.metrics = computeMetrics(run.log, run.record.strategy.slo);
    return run;
}

std::vector<PyramidLevel> StoreReader::pyramid(RunId id, const std::string& series) const
{
    return reading("the pyramid cannot be read", [&](SQLite::Database& database) {
        SQLite::Statement rows(
            database, "SELECT width_ns, data FROM pyramid WHERE run = ? AND series = ? ORDER BY level");
        rows.bind(1, id);
        rows.bind(2, series);
        std::vector<PyramidLevel> levels;
        while (rows.executeStep()) {
            const auto values =
                decodeReals(blobOf(rows.getColumn(1)), fmt::format("run {}, pyramid {}", id, series));
            const auto third = static_cast<std::ptrdiff_t>(values.size() / 3);
            PyramidLevel level;
            level.width_ns = rows.getColumn(0).getInt64();
            level.minimum.assign(values.begin(), values.begin() + third);
            level.maximum.assign(values.begin() + third, values.begin() + 2 * third);
            level.sum.assign(values.begin() + 2 * third, values.begin() + 3 * third);
            levels.push_back(std::move(level));
        }
        return levels;
    });
}

} // namespace batchscope::sessions
