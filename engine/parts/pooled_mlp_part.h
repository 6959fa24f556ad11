// SPDX-License-Identifier: GPL-3.0-or-later
// The model-bound predictor `pooled-mlp` as the registry knows it; only its factory needs the loaded model.
#pragma once

#include "scheduler/registry.h"

#include <filesystem>

namespace batchscope::engine {

PartDescriptor pooledMlpPart();

// The folder a strategy's `pooled-mlp` names (relative to `base`), or the model's own: predictors/pooled-mlp,
// else the first of that type by name. Throws EngineError(InvalidFile) saying how to train one where there is
// none.
std::filesystem::path pooledMlpFolder(const PartSpec& spec, const std::filesystem::path& base,
                                      const std::filesystem::path& model_dir);

} // namespace batchscope::engine
