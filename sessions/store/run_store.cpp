// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/run_store.h"

#include "sessions/record_json.h"
#include "sessions/store/owner.h"
#include "sessions/store/run_closing.h"
#include "sessions/store/run_reading.h"
#include "sessions/store/store_errors.h"
#include "sessions/store/store_writer.h"

#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <cstdlib>
#include <fmt/format.h>
#include <random>
#include <system_error>

namespace batchscope::sessions {

namespace {

// Version 4: random.
std::string newUuid()
{
    std::random_device source;
    std::string uuid;
    for (int word = 0; word < 4; ++word)
        uuid += fmt::format("{:08x}", source());
    constexpr std::string_view k_variants = "89ab";
    uuid[12] = '4';
    uuid[16] = k_variants[source() % k_variants.size()];
    for (const std::size_t at : {20U, 16U, 12U, 8U})
        uuid.insert(at, 1, '-');
    return uuid;
}

std::int64_t unixMilliseconds()
{
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

std::string recordText(const RunRecord& record)
{
    return recordToJson(record).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

RunId insertRun(SQLite::Database& database, const RunRecord& record)
{
    SQLite::Statement insert(
        database, "INSERT INTO runs (uuid, experiment, session, name, started_unix_ms, owner, record) "
                  "VALUES (?, ?, ?, ?, ?, ?, ?)");
    insert.bind(1, record.uuid);
    insert.bind(2, record.experiment);
    insert.bind(3, record.session);
    insert.bind(4, record.name);
    insert.bind(5, record.started_unix_ms);
    insert.bind(6, ownProcess());
    insert.bind(7, recordText(record));
    insert.exec();
    return database.getLastInsertRowid();
}

void insertRequests(SQLite::Database& database, RunId run, const std::vector<StoredRequest>& requests)
{
    SQLite::Statement insert(database,
                             "INSERT INTO requests (run, request, label, prompt, prompt_ids, "
                             "recorded_output_tokens, priority, client) VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    for (const auto& request : requests) {
        const std::string ids = encodeIds(request.prompt_ids);
        insert.reset();
        insert.clearBindings();
        insert.bind(1, run);
        insert.bind(2, request.index);
        insert.bind(3, request.id);
        insert.bind(4, request.prompt);
        insert.bindNoCopy(5, ids.data(), static_cast<int>(ids.size()));
        if (request.recorded_output_tokens) insert.bind(6, *request.recorded_output_tokens);
        insert.bind(7, request.priority);
        insert.bind(8, request.client);
        insert.exec();
    }
}

class StoreRunWriter final : public RunWriter
{
public:
    StoreRunWriter(std::shared_ptr<StoreWriter> writer, RunRecord record)
        : m_writer(std::move(writer)), m_buffer(std::make_shared<RunBuffer>(record.id)),
          m_record(std::move(record))
    {
        m_writer->open(m_buffer);
    }
    ~StoreRunWriter() override
    {
        if (m_finished) return;
        m_record.status = RunStatus::Interrupted;
        m_record.message = "it ended without a result; what was written until then is kept";
        m_writer->post(
            [writer = m_writer.get(), buffer = m_buffer, record = m_record](SQLite::Database& database) {
                writer->flush(database);
                writer->close(buffer);
                SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
                closeRun(database, record, readLog(database, record.id));
                transaction.commit();
            });
    }
    StoreRunWriter(const StoreRunWriter&) = delete;
    StoreRunWriter& operator=(const StoreRunWriter&) = delete;

    RunId id() const override { return m_record.id; }
    void append(const std::vector<Event>& events) override
    {
        m_buffer->append(events);
        m_writer->noteAppended();
    }
    void appendTokens(RequestIndex request, std::uint16_t attempt, const std::vector<TokenId>& ids) override
    {
        m_buffer->appendTokens(request, attempt, ids);
        m_writer->noteAppended();
    }
    void finish(const RunRecord& record) override
    {
        RunRecord last = record;
        last.id = m_record.id;
        last.uuid = m_record.uuid;
        if (last.started_unix_ms == 0) last.started_unix_ms = m_record.started_unix_ms;
        try {
            m_writer->run("the run cannot be closed", [&](SQLite::Database& database) {
                m_writer->flush(database);
                SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
                closeRun(database, last, readLog(database, last.id));
                transaction.commit();
            });
        } catch (const StoreError& error) {
            m_buffer->setError(error.what());
            throw;
        }
        m_finished = true;
        m_writer->close(m_buffer);
    }
    std::string error() const override { return m_buffer->error(); }

private:
    std::shared_ptr<StoreWriter> m_writer;
    std::shared_ptr<RunBuffer> m_buffer;
    RunRecord m_record;
    bool m_finished = false;
};

std::filesystem::path prepared(const std::filesystem::path& file, Access access)
{
    if (file.empty()) throw StoreError("the run store has no file name: choose one with --db");
    const auto whole = std::filesystem::absolute(file);
    std::error_code unknown, error;
    if (std::filesystem::is_directory(whole, unknown))
        throw StoreError(whole.string() + ": found a folder, expected a file: choose a file in it with --db");
    if (access == Access::ReadWrite) std::filesystem::create_directories(whole.parent_path(), error);
    if (error)
        throw StoreError(fmt::format("{}: its folder cannot be made: {}; choose another file with --db",
                                     whole.string(), error.message()));
    return whole;
}

} // namespace

std::filesystem::path defaultStoreFile()
{
    // An XDG variable that is not absolute is to be ignored (XDG Base Directory Specification).
    if (const char* data = std::getenv("XDG_DATA_HOME"); data && *data == '/')
        return std::filesystem::path(data) / "batchscope" / "runs.db";
    const char* home = std::getenv("HOME");
    return std::filesystem::path(home && *home ? home : ".") / ".local" / "share" / "batchscope" / "runs.db";
}

struct RunStore::Impl
{
    Impl(const std::filesystem::path& given, const RunStoreOptions& options)
        : file(prepared(given, options.access)),
          writer(options.access == Access::ReadWrite ? std::make_shared<StoreWriter>(file, options)
                                                     : nullptr),
          reader(file, options)
    {}
    StoreWriter& writing() const
    {
        if (!writer)
            throw StoreError(file.string() + ": was opened for reading only: nothing can be written to it");
        return *writer;
    }

    const std::filesystem::path file;
    std::shared_ptr<StoreWriter> writer; // shared with the RunWriters, which may outlive the store
    StoreReader reader;
};

RunStore::RunStore(const std::filesystem::path& file, const RunStoreOptions& options)
    : m_impl(std::make_unique<Impl>(file, options))
{}

RunStore::~RunStore() = default;

const std::filesystem::path& RunStore::file() const
{
    return m_impl->file;
}

std::unique_ptr<RunWriter> RunStore::begin(RunRecord record, const std::vector<StoredRequest>& requests)
{
    if (record.uuid.empty()) record.uuid = newUuid();
    if (record.started_unix_ms == 0) record.started_unix_ms = unixMilliseconds();
    m_impl->writing().run("a run cannot be begun", [&](SQLite::Database& database) {
        SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
        record.id = insertRun(database, record);
        insertRequests(database, record.id, requests);
        transaction.commit();
    });
    return std::make_unique<StoreRunWriter>(m_impl->writer, std::move(record));
}

RunId RunStore::save(const StoredRun& run)
{
    const auto writer = begin(run.record, run.requests);
    writer->append(run.log);
    for (const auto& [attempt, ids] : run.tokens)
        writer->appendTokens(attempt.first, attempt.second, ids);
    writer->finish(run.record);
    return writer->id();
}

std::vector<RunRecord> RunStore::runs() const
{
    return m_impl->reader.runs(false);
}

std::vector<RunRecord> RunStore::trashedRuns() const
{
    return m_impl->reader.runs(true);
}

RunRecord RunStore::record(RunId id) const
{
    return m_impl->reader.record(id);
}

RunRecord RunStore::find(const std::string& key) const
{
    return m_impl->reader.find(key);
}

StoredRun RunStore::load(RunId id) const
{
    return m_impl->reader.load(id);
}

std::vector<PyramidLevel> RunStore::pyramid(RunId id, const std::string& series) const
{
    return m_impl->reader.pyramid(id, series);
}

void RunStore::rename(RunId id, const std::string& name)
{
    record(id); // throws where there is none
    m_impl->writing().run("the run cannot be renamed", [&](SQLite::Database& database) {
        SQLite::Statement update(database, "UPDATE runs SET name = ? WHERE id = ?");
        update.bind(1, name);
        update.bind(2, id);
        update.exec();
    });
}

void RunStore::setTrashed(RunId id, bool trashed)
{
    record(id); // throws where there is none
    m_impl->writing().run("the run cannot be moved", [&](SQLite::Database& database) {
        SQLite::Statement update(database, "UPDATE runs SET trashed = ? WHERE id = ?");
        update.bind(1, trashed ? 1 : 0);
        update.bind(2, id);
        update.exec();
    });
}

} // namespace batchscope::sessions
