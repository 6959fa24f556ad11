// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/exit_code.h"
#include "app/cli/store_options.h"
#include "sessions/repetitions.h"

#include <fmt/format.h>

namespace batchscope::cli {
namespace {

struct CompareCommand
{
    std::vector<std::string> runs;
    StoreOptions store;

    int compare() const
    {
        if (runs.size() < 2)
            throw UsageError(
                fmt::format("compare takes two runs or more, here is one: {}; the first named is "
                            "the baseline",
                            runs.front()));
        const auto opened = store.open();
        std::vector<sessions::StoredRun> loaded = loadRuns(opened, runs);
        std::vector<sessions::RunRecord> records;
        for (const auto& run : loaded)
            records.push_back(run.record);
        const auto groups = sessions::comparedGroups(records);
        fmt::print("{}\n", sessions::comparisonText(sessions::compareRepeated(
                               groups, sessions::middleRuns(groups, std::move(loaded)))));
        return Done;
    }
};

} // namespace

void addCompare(CLI::App& app, Action& action)
{
    auto* command = app.add_subcommand("compare", "Put runs side by side; the first is the baseline");
    auto compare = std::make_shared<CompareCommand>();
    // Two or more: left to compare(), for CLI11's help makes "x 2" of a least number.
    command->add_option("RUN", compare->runs, "Two or more: number, uuid or name; the first is the baseline")
        ->required();
    compare->store.addTo(*command);
    command->footer("Example: batchscope-cli compare 12 13 14");
    command->callback([compare, &action] { action = [compare] { return compare->compare(); }; });
}

} // namespace batchscope::cli
