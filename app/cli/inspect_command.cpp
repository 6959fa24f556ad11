// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/experiment/model_access.h"
#include "engine/checkpoint/inspect.h"

#include <fmt/format.h>

namespace batchscope::cli {

void addInspect(CLI::App& app, Action& action)
{
    auto* command =
        app.add_subcommand("inspect", "Say what a model folder holds and what it needs (reads no weights "
                                      "into memory)");
    auto folder = std::make_shared<std::string>();
    command->add_option("MODEL_DIR", *folder, "Model folder, or \"demo\"")->required();
    command->footer("Example: batchscope-cli inspect demo");
    command->callback([folder, &action] {
        action = [folder] {
            fmt::print("{}", engine::inspectText(engine::inspectModel(app::modelFolder(*folder))));
            return Done;
        };
    });
}

} // namespace batchscope::cli
