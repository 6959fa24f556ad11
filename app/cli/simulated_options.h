// SPDX-License-Identifier: GPL-3.0-or-later
// What `sweep` and `advise` share: a session that is run many times on the simulator.
#pragma once

#include "sessions/session_document.h"

#include <CLI/App.hpp>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace batchscope::cli {

struct SimulatedOptions
{
    std::string file, json;
    std::vector<std::string> strategies, assignments;
    std::optional<std::uint64_t> seed;
    int threads = 0; // 0: one for each core

    void addTo(CLI::App& command);
    // The session with --set and --seed; throws UsageError where --json names no place.
    sessions::SessionDocument read() const;
    // What the command reads, and `others`: never to be replaced by what it writes.
    std::vector<std::filesystem::path> inputs(const sessions::SessionDocument& document,
                                              std::vector<std::filesystem::path> others) const;
};

} // namespace batchscope::cli
