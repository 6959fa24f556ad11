// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/store_options.h"

#include <algorithm>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>

namespace batchscope::cli {
namespace {

using sessions::RunRecord;

std::string startedText(std::int64_t unix_ms)
{
    return fmt::format("{:%Y-%m-%d %H:%M}", fmt::localtime(static_cast<std::time_t>(unix_ms / 1000)));
}

std::string rateText(const RunRecord& run)
{
    if (!run.metrics || !run.metrics->output_token_throughput) return "—";
    return fmt::format("{:.1f}", *run.metrics->output_token_throughput);
}

std::string shareText(const RunRecord& run)
{
    if (!run.metrics || !run.metrics->effective_token_ratio_strict) return "—";
    return fmt::format("{:.1f} %", 100 * *run.metrics->effective_token_ratio_strict);
}

int listRuns(const StoreOptions& options)
{
    const auto store = options.open();
    const auto runs = store.runs();
    if (runs.empty()) {
        fmt::print("No runs yet in {}.\n", store.file().string());
        return Done;
    }
    std::size_t name_width = 8;
    for (const auto& run : runs)
        name_width = std::max(name_width, run.name.size());
    fmt::print("{:>5}  {:<16}  {:<11}  {:<{}}  {:>8}  {:>10}  {:>9}  {}\n", "run", "started", "status",
               "strategy", name_width, "requests", "tokens/s", "useful", "session, provenance");
    for (const auto& run : runs)
        fmt::print("{:>5}  {:<16}  {:<11}  {:<{}}  {:>8}  {:>10}  {:>9}  {}, {}\n", run.id,
                   startedText(run.started_unix_ms), run.status ? runStatusName(*run.status) : "running",
                   run.name, name_width, run.requests, rateText(run), shareText(run), run.session,
                   provenanceSentence(run.provenance, run.strategy));
    return Done;
}

} // namespace

void addRuns(CLI::App& app, Action& action)
{
    auto* command = app.add_subcommand("runs", "List the runs that are kept, newest first");
    auto options = std::make_shared<StoreOptions>();
    options->addTo(*command);
    command->footer(
        "Example: batchscope-cli runs\n"
        "A run is named by its number, its uuid or its strategy's name (the newest of that name).");
    command->callback([options, &action] { action = [options] { return listRuns(*options); }; });
}

} // namespace batchscope::cli
