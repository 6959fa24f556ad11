// SPDX-License-Identifier: GPL-3.0-or-later
// Reading runs on a connection of its own, which writes nothing.
#pragma once

#include "sessions/run_store.h"

#include <SQLiteCpp/Database.h>
#include <mutex>

namespace batchscope::sessions {

class StoreReader
{
public:
    StoreReader(const std::filesystem::path& file, const RunStoreOptions& options);

    std::vector<RunRecord> runs(bool trashed) const;
    RunRecord record(RunId id) const;
    RunRecord find(const std::string& key) const;
    StoredRun load(RunId id) const;
    std::vector<PyramidLevel> pyramid(RunId id, const std::string& series) const;

private:
    template <class Work>
    auto reading(const std::string& doing, Work&& work) const;

    const std::filesystem::path m_file;
    mutable std::mutex m_mutex; // one statement at a time on the connection
    mutable SQLite::Database m_database;
};

} // namespace batchscope::sessions
