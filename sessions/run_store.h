// SPDX-License-Identifier: GPL-3.0-or-later
// The run store: SQLite (WAL), one writer thread, events in versioned chunk blobs (house.md, "The way of the
// data").
#pragma once

#include "sessions/error.h"
#include "sessions/run_record.h"

#include <chrono>
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
    // What could not be stored stays in memory: finish() may be called again, and RunStore::save() of another
    // store takes the run from whoever kept its log. A writer that goes without it leaves the run as
    // interrupted.
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

enum class Access {
    ReadWrite,
    ReadOnly // nothing is created, migrated or written: what can still be read of a file that cannot be
             // written
};

struct RunStoreOptions
{
    Access access = Access::ReadWrite;
    std::chrono::milliseconds busy_timeout{5000}; // how long a lock of another program is waited for
    std::chrono::milliseconds commit_interval{250};
};

// One level of a run's pyramid: bucket i covers [i * width_ns, (i + 1) * width_ns).
struct PyramidLevel
{
    Nanos width_ns = 0;
    std::vector<double> minimum, maximum, sum; // sum of the finest buckets' values
    bool operator==(const PyramidLevel&) const = default;
};

// Thread-safe: reads use a connection of their own, writes go through the one writer thread.
class RunStore
{
public:
    // Creates or migrates; backs the file up before migrating; throws StoreError (newer schema: names both
    // versions; locked after 5 s; unwritable; not a database) and never deletes or truncates anything.
    explicit RunStore(const std::filesystem::path& file, const RunStoreOptions& options = {});
    ~RunStore();
    RunStore(const RunStore&) = delete;
    RunStore& operator=(const RunStore&) = delete;

    const std::filesystem::path& file() const;
    std::unique_ptr<RunWriter> begin(RunRecord record, const std::vector<StoredRequest>& requests);
    // Keeps a whole run at once (one that another store could not take); as begin() and finish().
    RunId save(const StoredRun& run);
    std::vector<RunRecord> runs() const;          // newest first, trash left out; process gone: Interrupted
    std::vector<RunRecord> trashedRuns() const;   // newest first
    RunRecord record(RunId id) const;             // throws StoreError naming the id
    RunRecord find(const std::string& key) const; // id, uuid (or its unique beginning), or name of the newest
    StoredRun load(RunId id) const;
    // A series of the run over time, finest level first: "useful", "padding", "abandoned", "other"
    // (slot-steps), "queue", "occupancy", "kv_used_bytes". Empty where the run was never closed.
    std::vector<PyramidLevel> pyramid(RunId id, const std::string& series) const;
    void rename(RunId id, const std::string& name);
    void setTrashed(RunId id, bool trashed);

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace batchscope::sessions
