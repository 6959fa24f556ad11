// SPDX-License-Identifier: GPL-3.0-or-later
// Conversation data sets: Alpaca (instruction, input, output) and ShareGPT (conversations of from and value;
// also messages of role and content), as one JSON array or one JSON object a line.
#pragma once

#include "engine/data/request_file.h"
#include "engine/prompt/chat_template.h"

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace batchscope::engine {

struct Conversation
{
    std::string id;          // its label; rowLabel() where it has none
    std::string system;      // a system message of its own; empty: the template's
    std::vector<Turn> turns; // at least one; only the last may lack an answer
    bool operator==(const Conversation&) const = default;
};

struct ConversationFile
{
    std::string format;                      // "alpaca", "sharegpt"
    std::vector<Conversation> conversations; // file order
    std::vector<SkippedRow> skipped;         // row from 1; both counts add up to the rows that were read
    bool operator==(const ConversationFile&) const = default;
};

// An Alpaca input follows its instruction after "\nInput:\n" (FastChat's rule); answers before the first
// question of a ShareGPT conversation are left out. Reads the first `most` rows that are whole. Throws
// EngineError(InvalidFile) naming file, line and what was expected where the file is malformed or no row of
// it is a conversation.
ConversationFile readConversations(const std::filesystem::path& file,
                                   std::size_t most = std::numeric_limits<std::size_t>::max());

} // namespace batchscope::engine
