// SPDX-License-Identifier: GPL-3.0-or-later
// A model folder as the programs open it: what can be read without libtorch first, so that a mistake is told
// before anything heavy is loaded.
#pragma once

#include "engine/checkpoint/model_config.h"
#include "engine/error.h"
#include "engine/prompt/chat_template.h"
#include "engine/tokenizer/tokenizer.h"

#include <filesystem>
#include <memory>
#include <string>

namespace batchscope::app {

struct ModelAccess
{
    std::filesystem::path folder;
    engine::ModelConfig config;
    std::unique_ptr<engine::Tokenizer> tokenizer;
    engine::ChatTemplate chat_template;
};

// Runs `work`, which reads a model's files: what is absent or broken in them is a problem of the model (exit
// code 4), not of a file that the person wrote (3).
template <class Work>
auto asModelProblem(Work&& work)
{
    try {
        return work();
    } catch (const engine::EngineError& error) {
        if (error.kind() != engine::ErrorKind::InvalidFile) throw;
        throw engine::EngineError(engine::ErrorKind::Model, error.what());
    }
}

// "demo" and "" are the model in the box; anything else is a folder. Throws EngineError(Model) naming what is
// absent or broken and what to do.
std::filesystem::path modelFolder(const std::string& name);

// How a run's provenance names a model: the folder's name and the hash of what is in it.
std::string modelIdentity(const std::filesystem::path& folder, const std::string& hash);

// Reads configuration and tokenizer and checks that they belong together. Throws EngineError(Model).
ModelAccess openModelFolder(const std::filesystem::path& folder);

} // namespace batchscope::app
