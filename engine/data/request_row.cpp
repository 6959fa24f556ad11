// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/data/request_row.h"

#include "engine/checkpoint/json_fields.h"
#include "engine/data/text_lines.h"
#include "engine/error.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/core.h>
#include <limits>

namespace batchscope::engine {
namespace {

using nlohmann::json;

constexpr std::int64_t k_most_tokens = 1 << 24; // of one request
constexpr double k_latest_arrival_s = 9e6;      // 104 days: simulated time is kept in int64 picoseconds
constexpr std::int64_t k_largest_int = std::numeric_limits<std::int32_t>::max();

std::optional<int> tokens(const JsonFields& fields, const char* key, std::int64_t fewest = 1)
{
    const auto number = fields.optionalInteger(key, fewest, k_most_tokens);
    return number ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

std::vector<TokenId> tokenIds(const JsonFields& fields)
{
    static constexpr const char* k_key = "prompt_token_ids";
    if (!fields.has(k_key)) return {};
    const json& list = fields.at(k_key);
    if (!list.is_array() || list.empty()) fields.refuse(k_key, "a list of at least one token id");
    std::vector<TokenId> ids;
    ids.reserve(list.size());
    for (const json& entry : list) {
        const auto id = wholeNumber(entry);
        if (!id || *id < 0 || *id > k_largest_int)
            fields.refuse(k_key, fmt::format("token ids of at least 0, but entry {} is {}", ids.size() + 1,
                                             shownJson(entry)));
        ids.push_back(static_cast<TokenId>(*id));
    }
    return ids;
}

template <class Number>
std::optional<json> numberOf(std::string_view text)
{
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    if constexpr (std::is_floating_point_v<Number>)
        if (!std::isfinite(number)) return std::nullopt;
    return json(number);
}

json numberOrText(std::string_view cell)
{
    const std::string_view text = trimmed(cell);
    if (auto whole = numberOf<std::int64_t>(text)) return *whole;
    if (auto real = numberOf<double>(text)) return *real;
    return json(std::string(cell));
}

// "1 2 3", "1, 2, 3" or "[1, 2, 3]".
json idsOrText(std::string_view cell)
{
    std::string_view text = trimmed(cell);
    if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
    json ids = json::array();
    while (!text.empty()) {
        const std::size_t first = text.find_first_not_of(" \t,");
        if (first == std::string_view::npos) break;
        text.remove_prefix(first);
        const std::size_t end = std::min(text.find_first_of(" \t,"), text.size());
        ids.push_back(numberOrText(text.substr(0, end)));
        text.remove_prefix(end);
    }
    return ids;
}

} // namespace

bool isRequestColumn(std::string_view name)
{
    return std::find(k_request_columns.begin(), k_request_columns.end(), name) != k_request_columns.end();
}

RequestRow requestRowFromJson(const json& value)
{
    const JsonFields fields(value, {});
    RequestRow row;
    row.id = fields.label("id");
    row.client = fields.label("client");
    row.prefix_group = fields.label("prefix_group");
    row.prompt = fields.optionalText("prompt");
    row.prompt_token_ids = tokenIds(fields);
    row.prompt_tokens = tokens(fields, "prompt_tokens");
    row.output_tokens = tokens(fields, "output_tokens", 0); // an answer may be empty
    row.predicted_tokens = tokens(fields, "predicted_tokens");
    if (const auto arrival = fields.optionalReal("arrival_s", 0, k_latest_arrival_s))
        row.arrival_ns = std::llround(*arrival * 1e9);
    row.priority =
        static_cast<int>(fields.optionalInteger("priority", -k_largest_int, k_largest_int).value_or(0));
    const bool has_other_form = !row.prompt_token_ids.empty() || row.prompt_tokens;
    if (row.prompt && row.prompt->empty()) {
        if (!has_other_form)
            throw EngineError(ErrorKind::InvalidFile, "\"prompt\" is empty: there is nothing to read");
        row.prompt.reset();
    }
    if (!row.prompt && !has_other_form)
        throw EngineError(
            ErrorKind::InvalidFile,
            "none of \"prompt\", \"prompt_token_ids\" and \"prompt_tokens\" is there, one is needed");
    return row;
}

nlohmann::ordered_json requestRowToJson(const RequestRow& row)
{
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    if (!row.id.empty()) json["id"] = row.id;
    if (row.prompt) json["prompt"] = *row.prompt;
    if (!row.prompt_token_ids.empty()) json["prompt_token_ids"] = row.prompt_token_ids;
    if (row.prompt_tokens) json["prompt_tokens"] = *row.prompt_tokens;
    if (row.output_tokens) json["output_tokens"] = *row.output_tokens;
    if (row.predicted_tokens) json["predicted_tokens"] = *row.predicted_tokens;
    if (row.arrival_ns) json["arrival_s"] = toSeconds(*row.arrival_ns);
    if (row.priority != 0) json["priority"] = row.priority;
    if (!row.client.empty()) json["client"] = row.client;
    if (!row.prefix_group.empty()) json["prefix_group"] = row.prefix_group;
    return json;
}

json requestCellToJson(std::string_view column, std::string_view cell)
{
    if (column == "prompt_token_ids") return idsOrText(cell);
    if (column == "id" || column == "prompt" || column == "client" || column == "prefix_group")
        return json(std::string(cell));
    return numberOrText(cell);
}

std::string requestCellFromJson(const nlohmann::ordered_json& value)
{
    if (value.is_string()) return value.get<std::string>();
    if (!value.is_array()) return value.dump();
    std::string ids;
    for (const auto& id : value)
        ids += (ids.empty() ? "" : " ") + id.dump();
    return ids;
}

} // namespace batchscope::engine
