// SPDX-License-Identifier: GPL-3.0-or-later
// The files that lie beside the demo model: request files of the served splits with the model's own recorded
// greedy lengths, and its system sentence. Each file is complete or not at all; throws
// EngineError(InvalidFile).
#pragma once

#include "engine/demo/demo_answers.h"

#include <filesystem>
#include <span>
#include <string>

namespace batchscope::engine {

// template.json: the chat template's name and system sentence.
void writeDemoTemplate(const std::filesystem::path& model_dir);

// One request a line: id ("demo-0001"), task, prompt (the bare instruction), output_tokens.
void writeDemoRequests(const std::filesystem::path& file, const std::string& id_prefix,
                       std::span<const DemoAnswer> answers);

// One item a line: id, task, key, prompt and the reference answer.
void writeDemoHeldOut(const std::filesystem::path& file, std::span<const DemoItem> items);

} // namespace batchscope::engine
