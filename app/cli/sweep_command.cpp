// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/message.h"
#include "app/cli/output_place.h"
#include "app/cli/progress.h"
#include "app/cli/simulated_options.h"
#include "app/cli/stop_signal.h"
#include "app/experiment/sweep.h"
#include "scheduler/error.h"
#include "sessions/report.h"
#include "sessions/run_store.h"

#include <cstdio>
#include <fmt/format.h>

namespace batchscope::cli {
namespace {

struct SweepCommand
{
    SimulatedOptions session;
    std::vector<std::string> axes, metrics;
    std::string csv, markdown, database;
    bool keep = false;
    int repetitions = 0; // 0: the session's

    int sweep() const;
    void keepRuns(const app::Sweep& sweep, const app::SweepResult& result, const StopSignal& signal) const;
};

std::string sizeText(const app::SweepOptions& options, const app::Sweep& sweep)
{
    std::string text;
    for (const auto& axis : options.axes)
        text += fmt::format("{} {} of {}", text.empty() ? "" : " ×", axis.values.size(), axis.key);
    return fmt::format("{} runs{}{}", sweep.runCount(), text.empty() ? "" : ":", text);
}

// Made again one by one, for the store keeps whole runs with their events; a run is the same each time. The
// store shows which point a run belongs to in its name.
void SweepCommand::keepRuns(const app::Sweep& sweep, const app::SweepResult& result,
                            const StopSignal& signal) const
{
    sessions::RunStore store(database.empty() ? sessions::defaultStoreFile()
                                              : std::filesystem::path(database));
    app::Experiment experiment;
    std::size_t kept = 0;
    for (std::size_t point = 0; point < sweep.pointCount(); ++point) {
        auto document = sweep.documentAt(point);
        app::ExperimentOptions options;
        options.repetitions = result.repetitions;
        options.store = &store;
        options.keep_log = false;
        const std::string where = app::Sweep::pointText(result, point);
        for (auto& strategy : document.strategies) {
            if (!where.empty()) strategy.name += ", " + where;
            for (const auto& wanted : session.strategies)
                if (strategy.name == wanted + (where.empty() ? "" : ", " + where))
                    options.strategies.push_back(strategy.name);
        }
        app::ExperimentListener nobody;
        RunControl control;
        try {
            kept += experiment.run(document, options, nobody, control, signal.token()).runs.size();
        } catch (const SchedulerError& refusal) { // the table has said so
            tell(fmt::format("Not kept, for it cannot run at {}: {}\n", where, refusal.what()));
        }
    }
    fmt::print("Kept {} runs in {}\n", kept, store.file().string());
}

int SweepCommand::sweep() const
{
    StopSignal signal; // before any thread
    const auto document = session.read();
    requirePlace("--csv", csv, session.inputs(document, {session.json}));
    requirePlace("--markdown", markdown, session.inputs(document, {session.json, csv}));
    app::SweepOptions options;
    for (const auto& axis : axes)
        options.axes.push_back(app::parseSweepAxis(axis));
    options.strategies = session.strategies;
    if (repetitions > 0) options.repetitions = repetitions;
    options.metrics = metrics;
    options.threads = session.threads;
    Progress progress;
    options.progressed = [&progress](std::size_t done, std::size_t) {
        progress.update(static_cast<std::int64_t>(done));
    };
    const app::Sweep sweep(document, options);
    fmt::print("{}\n\n", sizeText(options, sweep));
    std::fflush(stdout); // told before the work, not after it
    progress.begin("Sweeping", static_cast<std::int64_t>(sweep.runCount()), "runs");
    const app::SweepResult result = sweep.run(signal.token());
    progress.end();
    fmt::print("{}", app::sweepTable(result));
    if (!session.json.empty()) sessions::writeFileAtomically(session.json, app::sweepJson(result));
    if (!csv.empty()) sessions::writeFileAtomically(csv, app::sweepCsv(result));
    if (!markdown.empty()) sessions::writeFileAtomically(markdown, app::sweepMarkdown(result));
    if (keep || !database.empty()) keepRuns(sweep, result, signal);
    return Done;
}

} // namespace

void addSweep(CLI::App& app, Action& action)
{
    auto* command =
        app.add_subcommand("sweep", "Run a grid of a session's parameters on the simulator, on all "
                                    "cores");
    auto sweep = std::make_shared<SweepCommand>();
    sweep->session.addTo(*command);
    command
        ->add_option(
            "--vary", sweep->axes,
            "Values of one parameter: batching.rows=1,2,4,8 or workload.arrivals.rate=0.1:1.0:0.1 (from, "
            "to, step); several make a grid")
        ->type_name("a.b=values");
    command
        ->add_option("--repetitions", sweep->repetitions,
                     "Runs of each strategy at each point, each of "
                     "another seed")
        ->type_name("N")
        ->check(CLI::Range(1, 1000));
    command
        ->add_option("--metric", sweep->metrics,
                     "Figures to show, as the result JSON calls them (e2el_s.mean, request_throughput, …)")
        ->type_name("NAME");
    command->add_option("--csv", sweep->csv, "Write one line a run")->type_name("OUT");
    command->add_option("--markdown", sweep->markdown, "Write the table as Markdown")->type_name("OUT");
    command->add_flag("--keep", sweep->keep,
                      "Keep the runs in the run store, so that compare and the window show "
                      "them");
    command->add_option("--db", sweep->database, "Keep them in this run store")->type_name("FILE");
    command->footer("Example: batchscope-cli sweep sessions/examples/02-simulated-quick.json --vary "
                    "batching.rows=4,8,16,32 --metric output_token_throughput --metric e2el_s.p99");
    command->callback([sweep, &action] { action = [sweep] { return sweep->sweep(); }; });
}

} // namespace batchscope::cli
