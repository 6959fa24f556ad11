// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/experiment/model_access.h"
#include "engine/checkpoint/inspect.h"

#include <fmt/format.h>

namespace batchscope::cli {
namespace {

// What is there is shown all the same: it helps to find out what a folder lacks.
int inspect(const std::string& name)
{
    const auto report = app::asModelProblem([&] { return engine::inspectModel(app::modelFolder(name)); });
    fmt::print("{}", engine::inspectText(report));
    if (report.tokenizer.problem.empty()) return Done;
    throw engine::EngineError(engine::ErrorKind::Model,
                              "no command can use this folder: " + report.tokenizer.problem);
}

} // namespace

void addInspect(CLI::App& app, Action& action)
{
    auto* command =
        app.add_subcommand("inspect", "Say what a model folder holds and what it needs (reads no weights "
                                      "into memory)");
    auto folder = std::make_shared<std::string>();
    command->add_option("MODEL_DIR", *folder, "Model folder, or \"demo\"")->required()->check(folderNamed);
    command->footer("Example: batchscope-cli inspect demo");
    command->callback([folder, &action] { action = [folder] { return inspect(*folder); }; });
}

} // namespace batchscope::cli
