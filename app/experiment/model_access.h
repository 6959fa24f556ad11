// SPDX-License-Identifier: GPL-3.0-or-later
// A model folder as the programs open it: what can be read without libtorch first, so that a mistake is told
// before anything heavy is loaded.
#pragma once

#include "engine/checkpoint/model_config.h"
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

// "demo" and "" are the model in the box; anything else is a folder. Throws EngineError(InvalidFile) naming
// what is absent or broken and what to do.
std::filesystem::path modelFolder(const std::string& name);

// Reads configuration and tokenizer and checks that they belong together.
ModelAccess openModelFolder(const std::filesystem::path& folder);

} // namespace batchscope::app
