// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/store/store_writer.h"

#include "sessions/store/schema.h"
#include "sessions/store/store_errors.h"

#include <SQLiteCpp/Transaction.h>
#include <algorithm>
#include <chrono>
#include <sys/stat.h>
#include <thread>

namespace batchscope::sessions {

namespace {

constexpr int k_sqlite_busy = 5; // SQLITE_BUSY

// SQLite asks no busy handler when a file changes its journal: two programs that make one store would meet
// here.
void useWriteAheadLog(SQLite::Database& database, std::chrono::milliseconds patience)
{
    const auto deadline = std::chrono::steady_clock::now() + patience;
    for (;;) {
        try {
            database.exec("PRAGMA journal_mode = WAL");
            return;
        } catch (const SQLite::Exception& error) {
            if (error.getErrorCode() != k_sqlite_busy || std::chrono::steady_clock::now() >= deadline) throw;
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    }
}

SQLite::Database openForWriting(const std::filesystem::path& file, const RunStoreOptions& options)
{
    refuseForeignFile(file);
    return explained(file, "cannot be opened", [&] {
        // The busy timeout is set as the connection is made: before the first statement.
        SQLite::Database database(file, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE,
                                  static_cast<int>(options.busy_timeout.count()));
        storeVersion(database, file); // refuses before anything is written
        useWriteAheadLog(database, options.busy_timeout);
        database.exec("PRAGMA synchronous = NORMAL");
        database.exec("PRAGMA foreign_keys = ON");
        migrate(database, file);
        // A file that cannot be written, or that another program holds, is told of now and not after a run.
        SQLite::Transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
        return database;
    });
}

} // namespace

StoreWriter::StoreWriter(const std::filesystem::path& file, const RunStoreOptions& options)
    : m_file(file), m_options(options), m_database(openForWriting(file, options))
{
    struct stat status
    {};
    if (::stat(file.c_str(), &status) == 0) {
        m_device = status.st_dev;
        m_inode = status.st_ino;
    }
    m_thread = std::thread([this] { loop(); });
}

StoreWriter::~StoreWriter()
{
    {
        const std::lock_guard lock(m_mutex);
        m_ending = true;
    }
    m_wake.notify_all();
    m_thread.join();
}

void StoreWriter::run(const std::string& doing, const Job& job)
{
    std::packaged_task<void(SQLite::Database&)> task([this, &job](SQLite::Database& database) {
        refuseRemovedFile();
        job(database);
    });
    auto done = task.get_future();
    {
        const std::lock_guard lock(m_mutex);
        m_jobs.push_back(std::move(task));
    }
    m_wake.notify_all();
    explained(m_file, doing, [&] { done.get(); });
}

void StoreWriter::post(const Job& job)
{
    {
        const std::lock_guard lock(m_mutex);
        m_jobs.emplace_back(job);
    }
    m_wake.notify_all();
}

void StoreWriter::open(const std::shared_ptr<RunBuffer>& buffer)
{
    const std::lock_guard lock(m_mutex);
    m_buffers.push_back(buffer);
}

void StoreWriter::close(const std::shared_ptr<RunBuffer>& buffer)
{
    const std::lock_guard lock(m_mutex);
    m_buffers.erase(std::remove(m_buffers.begin(), m_buffers.end(), buffer), m_buffers.end());
}

void StoreWriter::noteAppended()
{
    {
        const std::lock_guard lock(m_mutex);
        if (m_dirty) return;
        m_dirty = true;
    }
    m_wake.notify_all();
}

// Waits for jobs, for the next commit, or for the end. False when there is nothing left to do.
bool StoreWriter::takeWork(std::deque<std::packaged_task<void(SQLite::Database&)>>& jobs, bool& commit)
{
    std::unique_lock lock(m_mutex);
    const auto called = [this] { return m_ending || !m_jobs.empty(); };
    m_wake.wait(lock, [&] { return m_dirty || called(); });
    commit = m_dirty;
    if (m_dirty) commit = !m_wake.wait_for(lock, m_options.commit_interval, called) || m_ending;
    jobs.swap(m_jobs);
    if (commit) m_dirty = false;
    return !m_ending || commit || !jobs.empty();
}

void StoreWriter::loop()
{
    for (;;) {
        std::deque<std::packaged_task<void(SQLite::Database&)>> jobs;
        bool commit = false;
        if (!takeWork(jobs, commit)) return;
        for (auto& job : jobs)
            job(m_database);
        if (commit) commitDue();
    }
}

void StoreWriter::commitDue()
{
    try {
        flush(m_database);
    } catch (const std::exception&) {
        // Told through RunWriter::error(); tried again at the next commit, unless this was the last.
        const std::lock_guard lock(m_mutex);
        if (!m_ending) m_dirty = true;
    }
}

void StoreWriter::flush(SQLite::Database& database)
{
    std::vector<std::shared_ptr<RunBuffer>> buffers;
    {
        const std::lock_guard lock(m_mutex);
        buffers = m_buffers;
    }
    try {
        refuseRemovedFile();
        explained(m_file, "the run cannot be written", [&] {
            SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
            for (const auto& buffer : buffers)
                buffer->write(database);
            transaction.commit();
        });
    } catch (const std::exception& error) {
        for (const auto& buffer : buffers) {
            buffer->restore();
            buffer->setError(error.what());
        }
        throw;
    }
    for (const auto& buffer : buffers)
        buffer->keepWritten();
}

void StoreWriter::refuseRemovedFile() const
{
    struct stat status
    {};
    if (::stat(m_file.c_str(), &status) == 0 && status.st_dev == m_device && status.st_ino == m_inode) return;
    throw StoreError(m_file.string() +
                     ": was removed or replaced while it was open; what was not yet written is kept "
                     "in memory: choose another file with --db and save the run there");
}

} // namespace batchscope::sessions
