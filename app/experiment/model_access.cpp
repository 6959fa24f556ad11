// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/experiment/model_access.h"

#include "app/experiment/experiment.h"
#include "engine/error.h"

#include <fmt/format.h>

namespace batchscope::app {
namespace {

namespace fs = std::filesystem;
using engine::EngineError;
using engine::ErrorKind;

// Embeddings are often padded to a round size; a larger gap means a tokenizer of another model.
constexpr int k_most_padding = 256;

void requireFolder(const fs::path& folder)
{
    std::error_code error;
    if (fs::is_directory(folder, error)) return;
    if (folder == demoModelDir())
        throw EngineError(
            ErrorKind::InvalidFile,
            fmt::format("the demo model is not at {}; make it with: batchscope-cli train-demo --out {}",
                        folder.string(), folder.string()));
    throw EngineError(ErrorKind::InvalidFile,
                      fmt::format("model folder {} {}; give the folder that holds config.json, the weights "
                                  "(*.safetensors) and tokenizer.model",
                                  folder.string(),
                                  fs::exists(folder, error) ? "is no folder" : "does not exist"));
}

void requireMatch(const ModelAccess& model, const fs::path& tokenizer_file)
{
    const int pieces = model.tokenizer->vocabularySize();
    const int rows = model.config.vocabulary;
    if (pieces > rows || rows - pieces > k_most_padding)
        throw EngineError(
            ErrorKind::InvalidFile,
            fmt::format("{} has {} pieces, but {} says \"vocab_size\": {}; the tokenizer belongs to "
                        "another model: take tokenizer.model from where this model came from",
                        tokenizer_file.string(), pieces, (model.folder / "config.json").string(), rows));
}

} // namespace

fs::path modelFolder(const std::string& name)
{
    const fs::path folder = name.empty() || name == "demo" ? demoModelDir() : fs::path(name);
    requireFolder(folder);
    return folder;
}

ModelAccess openModelFolder(const fs::path& folder)
{
    requireFolder(folder);
    ModelAccess model;
    model.folder = folder;
    model.config = engine::readModelConfig(folder);
    model.chat_template = engine::chatTemplate(model.config.template_name, model.config.system);
    const fs::path tokenizer_file = folder / "tokenizer.model";
    model.tokenizer = engine::tokenizerPlugin().load(tokenizer_file);
    requireMatch(model, tokenizer_file);
    return model;
}

} // namespace batchscope::app
