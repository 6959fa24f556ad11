// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/run_options.h"

#include "app/cli/exit_code.h"
#include "app/cli/message.h"
#include "app/cli/output_place.h"
#include "app/cli/run_listener.h"
#include "app/cli/run_table.h"
#include "app/cli/stop_signal.h"
#include "sessions/repetitions.h"
#include "sessions/report.h"
#include "sessions/shell_word.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <exception>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

namespace batchscope::cli {
namespace {

namespace fs = std::filesystem;
using sessions::StoredRun;

// All runs in one file: each begins with a line that says which it is. Nothing of it depends on the day or
// machine.
std::string eventsText(const std::vector<StoredRun>& runs)
{
    std::string text;
    for (const auto& run : runs) {
        const nlohmann::json head{{"event", "run"},
                                  {"name", run.record.name},
                                  {"strategy", sessions::strategyToJson(run.record.strategy)},
                                  {"repetition", run.record.repetition},
                                  {"seed", run.record.seed},
                                  {"workload_hash", run.record.workload_hash}};
        text += head.dump() + "\n" + sessions::exportEventsJsonl(run.log);
    }
    return text;
}

// One column a strategy: medians of its repetitions, all else of the one in the middle.
void printTable(const std::vector<StoredRun>& runs)
{
    if (runs.empty()) return;
    std::vector<sessions::RunRecord> records;
    for (const auto& run : runs)
        records.push_back(run.record);
    const auto groups = sessions::groupRepetitions(records);
    std::vector<StoredRun> middles; // only these are copied
    for (const auto& group : groups) {
        const auto& middle = group.records[group.middle];
        middles.push_back(*std::find_if(
            runs.begin(), runs.end(), [&](const StoredRun& run) { return run.record.uuid == middle.uuid; }));
    }
    fmt::print("{}", runTable(sessions::compareRepeated(groups, std::move(middles))));
    if (runs.size() > groups.size())
        fmt::print("What is said of the load is of the repetition in the middle; there are {} runs in all.\n",
                   runs.size());
}

void writeFiles(const RunOptions& options, const std::vector<StoredRun>& runs)
{
    if (!options.json.empty()) {
        std::vector<sessions::RunRecord> records;
        for (const auto& run : runs)
            records.push_back(run.record);
        sessions::writeFileAtomically(options.json, sessions::resultDocument(records).dump(2) + "\n");
    }
    if (!options.events.empty()) sessions::writeFileAtomically(options.events, eventsText(runs));
}

// The store failed while runs were made: they go into a new one beside the working folder, so that nothing is
// lost.
void rescue(const std::vector<StoredRun>& runs, const std::string& error)
{
    const fs::path file = fs::absolute(fmt::format("batchscope-rescued-{}.db", std::time(nullptr)));
    try {
        sessions::RunStore store(file);
        for (const auto& run : runs)
            store.save(run);
    } catch (const std::exception& second) {
        throw sessions::StoreError(
            fmt::format("{}\nThe runs could not be kept in {} either: {}\nGive a folder that "
                        "can be written with --db, or --json and --events.",
                        error, file.string(), second.what()));
    }
    throw sessions::StoreError(fmt::format("{}\nAll {} runs are kept in {} instead; read them with --db {}.",
                                           error, runs.size(), file.string(), file.string()));
}

int exitCode(RunStatus status)
{
    switch (status) {
    case RunStatus::Completed:
        return Done;
    case RunStatus::Cancelled:
        return Cancelled;
    case RunStatus::Failed:
    case RunStatus::Interrupted:
        return Failed;
    }
    return Failed;
}

} // namespace

void RunOptions::addKeeping(CLI::App& command)
{
    command.add_option("--db", database, "Run store (default: the one of the window)")->type_name("FILE");
    command.add_flag("--no-store", no_store, "Keep nothing in the run store");
    command.add_option("--json", json, "Write the result JSON, one object a run")->type_name("OUT");
    command.add_option("--events", events, "Write the event logs, one event a line")->type_name("OUT.jsonl");
}

void RunOptions::check() const
{
    if (no_store && !database.empty())
        throw UsageError("--db and --no-store contradict each other; give one of them");
    std::vector<fs::path> others = inputs;
    if (!no_store) others.push_back(storeFile());
    requirePlace("--json", json, others);
    others.emplace_back(json);
    requirePlace("--events", events, others);
}

fs::path RunOptions::storeFile() const
{
    return database.empty() ? sessions::defaultStoreFile() : fs::path(database);
}

int runDocument(const sessions::SessionDocument& document, const RunOptions& options)
{
    StopSignal signal; // before the store's and the model's threads
    std::optional<sessions::RunStore> store;
    if (!options.no_store) store.emplace(options.storeFile());

    app::ExperimentOptions experiment_options;
    experiment_options.strategies = options.strategies;
    if (options.repetitions > 0) experiment_options.repetitions = options.repetitions;
    experiment_options.prepare = options.prepare;
    experiment_options.command = options.command_line;
    experiment_options.store = store ? &*store : nullptr;
    RunListener listener;
    RunControl control;
    app::Experiment experiment;
    const auto result = experiment.run(document, experiment_options, listener, control, signal.token());

    std::exception_ptr unprinted, unwritten; // told last: the runs themselves are brought to safety first
    try {
        printTable(result.runs);
        std::fflush(stdout);
    } catch (const std::system_error&) { // a full disk, a closed output
        unprinted = std::current_exception();
    }
    try {
        writeFiles(options, result.runs);
    } catch (const sessions::StoreError& error) {
        unwritten = std::current_exception();
        if (!result.store_error.empty()) tell(fmt::format("batchscope-cli: {}\n", error.what()));
    }
    if (!result.store_error.empty()) rescue(result.runs, result.store_error);
    if (store && !result.runs.empty() && !unprinted) {
        std::vector<sessions::RunId> ids;
        for (const auto& run : result.runs)
            ids.push_back(run.record.id);
        if (ids.size() > 1)
            fmt::print("Every figure: batchscope-cli compare {}{}\n", fmt::join(ids, " "),
                       options.database.empty() ? "" : " --db " + sessions::shellWord(options.database));
        fmt::print("Kept as run{} {} in {}\n", ids.size() == 1 ? "" : "s", fmt::join(ids, " "),
                   store->file().string());
    }
    if (unwritten) std::rethrow_exception(unwritten);
    if (unprinted) std::rethrow_exception(unprinted);
    return exitCode(result.status);
}

} // namespace batchscope::cli
