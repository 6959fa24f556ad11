// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of a workload's source, before arrivals and lengths are laid on them.
#pragma once

#include "scheduler/request.h"
#include "sessions/session_document.h"

#include <optional>
#include <string>
#include <vector>

namespace batchscope::app {

struct SourceRow
{
    std::string id, prompt, answer, client;
    std::vector<TokenId> prompt_ids; // as the file has them: fed without template
    std::optional<int> prompt_tokens, output_tokens, predicted_tokens;
    int priority = 0;
};

struct SourceRows
{
    std::string label;        // "demo", "file prompts.jsonl"
    bool keeps_order = false; // a choice out of it stays in file order
    std::vector<SourceRow> rows;
    std::vector<std::string> skipped;
};

SourceRows readSource(const sessions::SessionDocument& document);

} // namespace batchscope::app
