// SPDX-License-Identifier: GPL-3.0-or-later
// One conversation out of JSON. Included by source files only.
#pragma once

#include "engine/data/conversations.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace batchscope::engine {

// Its format, "alpaca" (instruction, input, output), "sharegpt" (conversations or messages) or
// "lmsys-chat-1m" (conversation of role and content), and what it says. Throws EngineError whose message is
// the reason why the object is no conversation.
std::pair<std::string, Conversation> conversationFromJson(const nlohmann::json& object);

} // namespace batchscope::engine
