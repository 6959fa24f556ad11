// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/store_options.h"

#include <fmt/format.h>
#include <unistd.h>

namespace batchscope::cli {

void StoreOptions::addTo(CLI::App& command)
{
    command.add_option("--db", database, "Run store (default: the one of the window)")->type_name("FILE");
}

sessions::RunStore StoreOptions::open() const
{
    const std::filesystem::path file =
        database.empty() ? sessions::defaultStoreFile() : std::filesystem::path(database);
    std::error_code error;
    if (!std::filesystem::exists(file, error))
        throw sessions::StoreError(
            fmt::format("there is no run store at {}; make runs with `batchscope-cli run` or "
                        "name another store with --db",
                        file.string()));
    // For writing where that is possible, so that an older layout is brought up to date; else as it is.
    sessions::RunStoreOptions options;
    const auto folder = std::filesystem::absolute(file).parent_path();
    if (::access(file.c_str(), W_OK) != 0 || ::access(folder.c_str(), W_OK) != 0)
        options.access = sessions::Access::ReadOnly;
    return sessions::RunStore(file, options);
}

std::vector<sessions::StoredRun> loadRuns(const sessions::RunStore& store,
                                          const std::vector<std::string>& keys)
{
    std::vector<sessions::StoredRun> runs;
    for (const auto& key : keys)
        runs.push_back(store.load(store.find(key).id));
    return runs;
}

} // namespace batchscope::cli
