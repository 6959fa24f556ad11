// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/store_options.h"

#include <fmt/format.h>

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
    return sessions::RunStore(file);
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
