// SPDX-License-Identifier: GPL-3.0-or-later
// The one thread that writes to a store, and its connection.
#pragma once

#include "sessions/run_store.h"
#include "sessions/store/run_buffer.h"

#include <SQLiteCpp/Database.h>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <sys/types.h>
#include <thread>
#include <vector>

namespace batchscope::sessions {

class StoreWriter
{
public:
    using Job = std::function<void(SQLite::Database&)>;

    // Opens, checks and migrates on the caller's thread; throws StoreError.
    StoreWriter(const std::filesystem::path& file, const RunStoreOptions& options);
    ~StoreWriter(); // writes what is queued, then ends the thread
    StoreWriter(const StoreWriter&) = delete;
    StoreWriter& operator=(const StoreWriter&) = delete;

    // Runs the job on the writer's thread and waits for it. `doing` is for the message of the StoreError it
    // may throw.
    void run(const std::string& doing, const Job& job);
    void post(const Job& job); // does not wait; a failure is dropped

    void open(const std::shared_ptr<RunBuffer>& buffer);
    void close(const std::shared_ptr<RunBuffer>& buffer);
    void noteAppended(); // a buffer has something to write

    // Writer thread: everything the buffers hold, in one transaction. Throws StoreError; nothing is lost.
    void flush(SQLite::Database& database);

private:
    void loop();
    bool takeWork(std::deque<std::packaged_task<void(SQLite::Database&)>>& jobs, bool& commit);
    void commitDue();
    void refuseRemovedFile() const;

    const std::filesystem::path m_file;
    const RunStoreOptions m_options;
    SQLite::Database m_database; // used by the constructor, then by the thread alone
    dev_t m_device = 0;          // which file was opened: it may be removed or replaced meanwhile
    ino_t m_inode = 0;

    std::mutex m_mutex; // guards what follows
    std::condition_variable m_wake;
    std::deque<std::packaged_task<void(SQLite::Database&)>> m_jobs;
    std::vector<std::shared_ptr<RunBuffer>> m_buffers;
    bool m_dirty = false;
    bool m_ending = false;
    std::thread m_thread;
};

} // namespace batchscope::sessions
