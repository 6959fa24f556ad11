// SPDX-License-Identifier: GPL-3.0-or-later
// One row of a request file as JSON: shared by its two formats. Included by source files only.
#pragma once

#include "engine/data/request_file.h"

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

namespace batchscope::engine {

inline constexpr std::array<std::string_view, 10> k_request_columns{
    "id",        "prompt",   "prompt_token_ids", "prompt_tokens", "output_tokens", "predicted_tokens",
    "arrival_s", "priority", "client",           "prefix_group"};

bool isRequestColumn(std::string_view name);

// Throws EngineError(InvalidFile) whose message is the reason: key, value found, value expected.
RequestRow requestRowFromJson(const nlohmann::json& json);
nlohmann::ordered_json requestRowToJson(const RequestRow& row); // absent fields left out

// A CSV cell as the JSON value that its column would have; unreadable numbers stay text, so that the message
// shows them.
nlohmann::json requestCellToJson(std::string_view column, std::string_view cell);
std::string requestCellFromJson(const nlohmann::ordered_json& value);

} // namespace batchscope::engine
