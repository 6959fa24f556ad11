// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/progress.h"
#include "app/cli/simulated_options.h"
#include "app/cli/stop_signal.h"
#include "app/experiment/advisor.h"
#include "sessions/report.h"

#include <cstdio>
#include <fmt/format.h>

namespace batchscope::cli {
namespace {

int advise(const SimulatedOptions& session)
{
    StopSignal signal; // before any thread
    const auto document = session.read();
    Progress progress;
    app::AdvisorOptions options;
    options.strategies = session.strategies;
    options.threads = session.threads;
    options.progressed = [&progress](std::size_t done, std::size_t) {
        progress.update(static_cast<std::int64_t>(done));
    };
    const app::Advisor advisor(document, options);
    fmt::print("{} runs: the session's strategies and what else could be done with its workload\n\n",
               advisor.runCount());
    std::fflush(stdout); // told before the work, not after it
    progress.begin("Trying", static_cast<std::int64_t>(advisor.runCount()), "runs");
    const app::AdvisorResult result = advisor.run(signal.token());
    progress.end();
    fmt::print("{}", app::advisorText(result));
    if (!session.json.empty()) sessions::writeFileAtomically(session.json, app::advisorJson(result));
    return Done;
}

} // namespace

void addAdvise(CLI::App& app, Action& action)
{
    auto* command =
        app.add_subcommand("advise", "Try modes, sizes, orderings and predictors on a session's workload "
                                     "and say what to change");
    auto session = std::make_shared<SimulatedOptions>();
    session->addTo(*command);
    command->footer("Example: batchscope-cli advise sessions/examples/02-simulated-quick.json");
    command->callback([session, &action] { action = [session] { return advise(*session); }; });
}

} // namespace batchscope::cli
