// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/measure_options.h"
#include "app/cli/run_options.h"
#include "app/experiment/assignments.h"
#include "sessions/shell_word.h"

#include <fmt/format.h>
#include <optional>

namespace batchscope::cli {
namespace {

struct RunCommand
{
    std::string session;
    std::vector<std::string> assignments;
    std::optional<std::uint64_t> seed;
    std::optional<bool> vary_seed;
    std::string warm_up, window;
    RunOptions options;

    int run() const;
    std::string command() const;
};

std::string RunCommand::command() const
{
    std::string line = "batchscope-cli run " + sessions::shellWord(session);
    for (const auto& name : options.strategies)
        line += " --strategy " + sessions::shellWord(name);
    for (const auto& assignment : assignments)
        line += " --set " + sessions::shellWord(assignment);
    if (seed) line += fmt::format(" --seed {}", *seed);
    if (options.repetitions > 0) line += fmt::format(" --repetitions {}", options.repetitions);
    if (vary_seed) line += *vary_seed ? " --vary-seed" : " --same-seed";
    if (!warm_up.empty()) line += " --warm-up " + sessions::shellWord(warm_up);
    if (!window.empty()) line += " --window " + sessions::shellWord(window);
    return line;
}

int RunCommand::run() const
{
    options.check();
    const Registry registry = app::fullRegistry();
    auto document = sessions::readSession(session, registry);
    app::assignValues(document, assignments, registry);
    if (seed) sessions::setValue(document, fmt::format("workload.seed={}", *seed), registry);
    if (vary_seed) document.vary_seed = vary_seed;
    if (!warm_up.empty()) setWarmUp(document.measure, warm_up);
    if (!window.empty()) setWindow(document.measure, window);
    RunOptions run_options = options;
    run_options.inputs = {session};
    run_options.command_line = command();
    if (!document.workload.source.path.empty())
        run_options.inputs.push_back(document.resolvePath(document.workload.source.path));
    run_options.check();
    return runDocument(document, run_options);
}

} // namespace

void addRun(CLI::App& app, Action& action)
{
    auto* command = app.add_subcommand("run", "Run a session's strategies on its workload and print a table");
    auto run = std::make_shared<RunCommand>();
    command->add_option("SESSION", run->session, "Session file")->required();
    command
        ->add_option("--strategy", run->options.strategies, "Only these strategies of the session (by name)")
        ->type_name("NAME");
    command
        ->add_option(
            "--set", run->assignments,
            "Change a value: --set workload.seed=7 the document's, --set batching.rows=8 every strategy's")
        ->type_name("a.b=value");
    command->add_option("--seed", run->seed, "Seed of the workload")->type_name("N")->check(seedText);
    command->add_option("--repetitions", run->options.repetitions, "Runs of each strategy, interleaved")
        ->type_name("N")
        ->check(CLI::Range(1, 1000));
    command->add_flag_callback(
        "--vary-seed", [run] { run->vary_seed = true; },
        "Repetition k draws its workload with the seed + k (what a simulated run does)");
    command->add_flag_callback(
        "--same-seed", [run] { run->vary_seed = false; },
        "Every repetition has the same workload (what a measured run does)");
    command
        ->add_option("--warm-up", run->warm_up,
                     "Leave out the beginning in figures of their own: 10s, or the first 200 requests: 200r")
        ->type_name("SECONDSs|REQUESTSr");
    command->add_option("--window", run->window, "Figures of their own from second to second: 10:60, 10:")
        ->type_name("FROM:TO");
    run->options.addKeeping(*command);
    command->footer(
        "Example: batchscope-cli run sessions/examples/01-sequence-scheduling-against-vanilla.json --set "
        "workload.requests=64 "
        "--json out.json");
    command->callback([run, &action] { action = [run] { return run->run(); }; });
}

} // namespace batchscope::cli
