// SPDX-License-Identifier: GPL-3.0-or-later
// What SQLite reports, said so that a person knows what to do.
#pragma once

#include "sessions/error.h"

#include <SQLiteCpp/Exception.h>
#include <filesystem>
#include <string>

namespace batchscope::sessions {

// "<file>: <doing>: <what is wrong>; <remedy>."
std::string explainFailure(const std::filesystem::path& file, const std::string& doing,
                           const SQLite::Exception& error);

// Runs `work` and turns an SQLite::Exception into a StoreError.
template <class Work>
auto explained(const std::filesystem::path& file, const std::string& doing, Work&& work)
{
    try {
        return work();
    } catch (const SQLite::Exception& error) {
        throw StoreError(explainFailure(file, doing, error));
    }
}

} // namespace batchscope::sessions
