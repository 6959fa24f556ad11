// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/experiment/experiment.h"
#include "engine/simulated/cost_model_file.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>

namespace batchscope::cli {
namespace {

void printModel(const engine::CostModel& model)
{
    fmt::print("{}  ({})\n  {}\n", model.name, engine::costKindName(model.kind), model.title);
    if (model.fit) fmt::print("  fitted to {}\n", engine::describeFit(model));
    for (const engine::CostTerm& term : engine::costTerms(model))
        fmt::print("  {:<26} {:>14.6f} {:<3} {}\n", term.name, term.value, term.unit, term.help);
    if (model.roofline)
        fmt::print("  a pass takes {}\n", model.roofline->overlaps
                                              ? "the longer of arithmetic and traffic"
                                              : "arithmetic and traffic, one after the other");
    if (model.context > 0) fmt::print("  {:<26} {:>14} tokens\n", "context", model.context);
    if (model.weights_bytes > 0) fmt::print("  {:<26} {:>14} bytes\n", "weights", model.weights_bytes);
    if (model.kv_bytes_per_token > 0)
        fmt::print("  {:<26} {:>14} bytes\n", "KV cache of a token", model.kv_bytes_per_token);
    if (model.kv_bytes) fmt::print("  {:<26} {:>14} bytes\n", "KV budget", *model.kv_bytes);
    fmt::print("  source: {}\n\n", model.basis);
}

int listPresets(const std::string& only)
{
    const auto folder = app::resourceDir() / "presets";
    if (!only.empty()) {
        printModel(engine::loadCostModel(only, folder));
        return Done;
    }
    for (const std::string& name : engine::costModelPresets(folder))
        printModel(engine::loadCostModel(name, folder));
    return Done;
}

} // namespace

void addListPresets(CLI::App& app, Action& action)
{
    auto* command = app.add_subcommand(
        "list-presets", "Cost models of the simulator: their terms with units, their fit and their source");
    auto only = std::make_shared<std::string>();
    command->add_option("preset", *only, "One preset, or the path of a cost model file ending in .json");
    command->footer("Example: batchscope-cli list-presets vicuna-7b-a100\n"
                    "A session names one with \"backend\": {\"type\": \"simulated\", \"preset\": \"...\"}.");
    command->callback([&action, only] { action = [only] { return listPresets(*only); }; });
}

} // namespace batchscope::cli
