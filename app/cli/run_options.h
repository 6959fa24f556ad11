// SPDX-License-Identifier: GPL-3.0-or-later
// What `run` and `bench` share: where runs are kept, what is written beside them, and the table at the end.
#pragma once

#include "app/experiment/experiment.h"

#include <CLI/App.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace batchscope::cli {

struct RunOptions
{
    std::vector<std::string> strategies;
    int repetitions = 0; // 0: the session's
    std::string database;
    bool no_store = false;
    std::string json, events;
    std::vector<std::filesystem::path> inputs; // what the command reads: never replaced by --json or --events
    std::function<void(Workload&)> prepare;
    std::string command_line; // that makes the same runs again, without the places where they are kept

    void addKeeping(CLI::App& command); // --db, --no-store, --json, --events
    void check() const;                 // throws UsageError where they contradict each other or name no place
    std::filesystem::path storeFile() const;
};

// Runs the document and prints, writes and keeps what the options say. Returns the exit code.
int runDocument(const sessions::SessionDocument& document, const RunOptions& options);

} // namespace batchscope::cli
