// SPDX-License-Identifier: GPL-3.0-or-later
// The run store: SQLite (WAL), one writer thread, events in versioned chunk blobs (house.md, "The way of the
// data").
#pragma once

#include "sessions/error.h"
#include "sessions/run_record.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace batchscope::sessions {

std::filesystem::path defaultStoreFile(); // $XDG_DATA_HOME/batchscope/runs.db

// Writes one run. append() only queues; the writer thread commits every 250 ms. A failed write (locked, full,
// removed) is told once through error(); the run goes on and keeps its data in memory.
class RunWriter
{
public:
    virtual ~RunWriter() = default;
    virtual RunId id() const = 0;
    virtual void append(const std::vector<Event>& events) = 0;
    virtual void appendTokens(RequestIndex request, std::uint16_t attempt,
                              const std::vector<TokenId>& ids) = 0;
    // Flushes, stores the final record (status, metrics) and the per-request tables; throws StoreError.
    virtual void finish(const RunRecord& record) = 0;
    virtual std::string error() const = 0; // empty: none so far
};

struct StoredRun
{
    RunRecord record;
    EventLog log;
    AttemptTokens tokens;
    std::vector<StoredRequest> requests;
};

// Thread-safe: reads use a connection of their own, writes go through the one writer thread.
class RunStore
{
public:
    // Creates or migrates; backs the file up before migrating; throws StoreError (newer schema: names both
    // versions; locked after 5 s; unwritable; not a database) and never deletes or truncates anything.
    explicit RunStore(const std::filesystem::path& file);
    ~RunStore();
    RunStore(const RunStore&) = delete;
    RunStore& operator=(const RunStore&) = delete;

    const std::filesystem::path& file() const;
    std::unique_ptr<RunWriter> begin(RunRecord record, const std::vector<StoredRequest>& requests);
    std::vector<RunRecord> runs() const;          // newest first; a run whose process is gone: Interrupted
    RunRecord record(RunId id) const;             // throws StoreError naming the id
    RunRecord find(const std::string& key) const; // id, uuid (or its unique beginning), or name of the newest
    StoredRun load(RunId id) const;
    void rename(RunId id, const std::string& name);
    void setTrashed(RunId id, bool trashed);

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace batchscope::sessions
