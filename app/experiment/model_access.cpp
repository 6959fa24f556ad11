// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/experiment/model_access.h"

#include "app/experiment/experiment.h"
#include "engine/error.h"
#include "engine/tokenizer/model_tokenizer.h"

#include <fmt/format.h>

namespace batchscope::app {
namespace {

namespace fs = std::filesystem;
using engine::EngineError;
using engine::ErrorKind;

void requireFolder(const fs::path& folder)
{
    std::error_code error;
    if (fs::is_directory(folder, error)) return;
    if (folder == demoModelDir())
        throw EngineError(
            ErrorKind::Model,
            fmt::format("the demo model is not at {}; make it with: batchscope-cli train-demo --out {}",
                        folder.string(), folder.string()));
    throw EngineError(ErrorKind::Model,
                      fmt::format("model folder {} {}; give the folder that holds config.json, the weights "
                                  "(*.safetensors) and tokenizer.model",
                                  folder.string(),
                                  fs::exists(folder, error) ? "is no folder" : "does not exist"));
}

} // namespace

fs::path modelFolder(const std::string& name)
{
    const fs::path folder = name.empty() || name == "demo" ? demoModelDir() : fs::path(name);
    requireFolder(folder);
    return folder;
}

std::string modelIdentity(const fs::path& folder, const std::string& hash)
{
    const fs::path plain = fs::absolute(folder).lexically_normal();
    return fmt::format("{} {}", (plain.has_filename() ? plain : plain.parent_path()).filename().string(),
                       hash);
}

ModelAccess openModelFolder(const fs::path& folder)
{
    requireFolder(folder);
    return asModelProblem([&] {
        ModelAccess model;
        model.folder = folder;
        model.config = engine::readModelConfig(folder);
        model.chat_template = engine::chatTemplate(model.config.template_name, model.config.system);
        model.tokenizer = engine::openModelTokenizer(folder, model.config);
        return model;
    });
}

} // namespace batchscope::app
