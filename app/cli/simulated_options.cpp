// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/simulated_options.h"

#include "app/cli/command.h"
#include "app/cli/output_place.h"
#include "app/experiment/assignments.h"
#include "app/experiment/experiment.h"

#include <fmt/format.h>

namespace batchscope::cli {

void SimulatedOptions::addTo(CLI::App& command)
{
    command.add_option("SESSION", file, "Session file, on the simulator")->required();
    command.add_option("--strategy", strategies, "Only these strategies of the session (by name)")
        ->type_name("NAME");
    command
        .add_option("--set", assignments,
                    "Change a value: --set workload.seed=7 the document's, --set batching.rows=8 every "
                    "strategy's")
        ->type_name("a.b=value");
    command.add_option("--seed", seed, "Seed of the workload")->type_name("N")->check(seedText);
    command.add_option("--threads", threads, "Runs at a time (default: one for each core)")
        ->type_name("N")
        ->check(CLI::Range(1, 1024));
    command.add_option("--json", json, "Write all figures as JSON")->type_name("OUT");
}

sessions::SessionDocument SimulatedOptions::read() const
{
    requirePlace("--json", json, {file});
    const Registry registry = app::fullRegistry();
    auto document = sessions::readSession(file, registry);
    app::assignValues(document, assignments, registry);
    if (seed) sessions::setValue(document, fmt::format("workload.seed={}", *seed), registry);
    requirePlace("--json", json, inputs(document, {}));
    return document;
}

std::vector<std::filesystem::path> SimulatedOptions::inputs(const sessions::SessionDocument& document,
                                                            std::vector<std::filesystem::path> others) const
{
    others.emplace_back(file);
    if (!document.workload.source.path.empty())
        others.push_back(document.resolvePath(document.workload.source.path));
    return others;
}

} // namespace batchscope::cli
