// SPDX-License-Identifier: GPL-3.0-or-later
// The tokenizer of a model folder.
#pragma once

#include "engine/checkpoint/model_config.h"
#include "engine/tokenizer/tokenizer.h"

#include <filesystem>
#include <memory>

namespace batchscope::engine {

// Opens model_dir/tokenizer.model. Throws EngineError(InvalidFile) naming the file where it is absent,
// broken, or another model's: more pieces than the model has rows of embedding, or far fewer.
std::unique_ptr<Tokenizer> openModelTokenizer(const std::filesystem::path& model_dir,
                                              const ModelConfig& config);

} // namespace batchscope::engine
