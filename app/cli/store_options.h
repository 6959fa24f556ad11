// SPDX-License-Identifier: GPL-3.0-or-later
// What the commands that read the run store share.
#pragma once

#include "sessions/run_store.h"

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace batchscope::cli {

struct StoreOptions
{
    std::string database; // empty: the window's

    void addTo(CLI::App& command); // --db
    // Throws StoreError where there is no store yet: reading must not make one.
    sessions::RunStore open() const;
};

// Runs by number, uuid (or its unique beginning) or name.
std::vector<sessions::StoredRun> loadRuns(const sessions::RunStore& store,
                                          const std::vector<std::string>& keys);

} // namespace batchscope::cli
