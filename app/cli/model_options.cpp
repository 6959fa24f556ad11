// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/model_options.h"

#include "app/cli/command.h"

namespace batchscope::cli {

void ModelOptions::addTo(CLI::App& command)
{
    command.add_option("--model", model, "Model folder, or \"demo\"")
        ->required()
        ->type_name("DIR")
        ->check(folderNamed);
    command.add_option("--dtype", dtype, "Weights and arithmetic (default: f32)")
        ->check(CLI::IsMember({"f32", "bf16", "f16"}));
    command.add_option("--device", device, "cpu or cuda:N (default: cpu)")->type_name("NAME");
    command.add_option("--threads", threads, "CPU threads (default: all)")
        ->type_name("N")
        ->check(CLI::Range(0, 4096));
}

std::unique_ptr<engine::LanguageModel> ModelOptions::load(const app::ModelAccess& access, Progress& progress,
                                                          std::stop_token stop) const
{
    engine::LoadOptions options;
    options.model_dir = access.folder;
    options.dtype = engine::dtypeFromName(dtype);
    options.device = device;
    options.threads = threads;
    constexpr std::int64_t k_megabyte = 1'000'000;
    bool begun = false;
    options.progress = [&](std::int64_t done, std::int64_t all) {
        if (!begun) progress.begin("Loading the model", all / k_megabyte, "MB");
        begun = true;
        progress.update(done / k_megabyte);
    };
    auto loaded = app::asModelProblem([&] { return engine::torchPlugin().load(options, stop); });
    progress.end();
    return loaded;
}

} // namespace batchscope::cli
