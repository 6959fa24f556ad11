// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/data/conversations.h"

#include "engine/checkpoint/file_kind.h"
#include "engine/checkpoint/json_fields.h"
#include "engine/checkpoint/mapped_file.h"
#include "engine/data/conversation_row.h"
#include "engine/data/text_lines.h"
#include "engine/error.h"

#include <algorithm>
#include <array>
#include <fmt/core.h>
#include <optional>

namespace batchscope::engine {
namespace {

using nlohmann::json;

constexpr const char* k_expected =
    "expected conversation data: Alpaca (instruction, input, output) or ShareGPT "
    "(conversations of from and value), one JSON array or one object a line";

[[noreturn]] void refuseRow(const std::string& reason)
{
    throw EngineError(ErrorKind::InvalidFile, reason);
}

enum class Role { System, User, Assistant };

std::optional<Role> roleOf(const std::string& name)
{
    static const std::array<std::pair<const char*, Role>, 9> k_roles{{{"system", Role::System},
                                                                      {"human", Role::User},
                                                                      {"user", Role::User},
                                                                      {"gpt", Role::Assistant},
                                                                      {"assistant", Role::Assistant},
                                                                      {"chatgpt", Role::Assistant},
                                                                      {"bing", Role::Assistant},
                                                                      {"bard", Role::Assistant},
                                                                      {"model", Role::Assistant}}};
    for (const auto& [known, role] : k_roles)
        if (name == known) return role;
    return std::nullopt;
}

Conversation alpaca(const JsonFields& fields)
{
    Conversation conversation;
    Turn turn{fields.text("instruction"), fields.optionalText("output").value_or("")};
    const std::string input = fields.optionalText("input").value_or("");
    if (!trimmed(input).empty()) turn.user += "\nInput:\n" + input;
    if (trimmed(turn.user).empty()) refuseRow("\"instruction\" is empty");
    conversation.turns.push_back(std::move(turn));
    return conversation;
}

// Adds a message; questions and answers must take turns.
void addMessage(Conversation& conversation, bool& expects_answer, Role role, const std::string& text,
                const std::string& where)
{
    if (role == Role::System) {
        if (!conversation.turns.empty()) refuseRow(where + " is a system message after the first question");
        conversation.system = text;
    } else if (role == Role::User) {
        if (expects_answer) refuseRow(where + " is a second question in a row, an answer was expected");
        if (trimmed(text).empty()) refuseRow(where + " is an empty question");
        conversation.turns.push_back({text, {}});
        expects_answer = true;
    } else if (expects_answer) {
        conversation.turns.back().assistant = text;
        expects_answer = false;
    } else if (!conversation.turns.empty()) {
        refuseRow(where + " is a second answer in a row, a question was expected");
    }
}

Conversation shareGpt(const JsonFields& fields, const char* list_key)
{
    const bool messages = std::string_view(list_key) != "conversations";
    const char* role_key = messages ? "role" : "from";
    const char* text_key = messages ? "content" : "value";
    const json& list = fields.at(list_key);
    if (!list.is_array()) fields.refuse(list_key, "a list of messages");
    Conversation conversation;
    bool expects_answer = false;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const std::string where = fmt::format("message {}", i + 1);
        const JsonFields message(list[i], where);
        const auto role = roleOf(message.text(role_key));
        if (!role) message.refuse(role_key, "\"human\", \"gpt\" or \"system\"");
        addMessage(conversation, expects_answer, *role, message.text(text_key), where);
    }
    if (conversation.turns.empty()) refuseRow("it holds no question");
    for (std::size_t i = 0; i + 1 < conversation.turns.size(); ++i)
        if (conversation.turns[i].assistant.empty())
            refuseRow(fmt::format("the answer to question {} is empty", i + 1));
    return conversation;
}

// Collects rows; one that is no conversation is counted with its reason.
class Collector
{
public:
    Collector(ConversationFile& result, std::size_t most) : m_result(result), m_most(most) {}

    bool isFull() const { return m_result.conversations.size() >= m_most; }
    void skip(std::int64_t line, const std::string& reason)
    {
        m_result.skipped.push_back({nextRow(), line, reason});
    }
    void add(const json& value, std::int64_t line)
    {
        try {
            m_result.conversations.push_back(read(value));
        } catch (const EngineError& error) {
            skip(line, error.what());
        }
    }

private:
    std::int64_t nextRow() const
    {
        return static_cast<std::int64_t>(m_result.conversations.size() + m_result.skipped.size()) + 1;
    }

    Conversation read(const json& value)
    {
        auto [format, conversation] = conversationFromJson(value);
        if (conversation.id.empty()) conversation.id = rowLabel(nextRow());
        if (m_result.format.empty()) m_result.format = format;
        return std::move(conversation);
    }

    ConversationFile& m_result;
    std::size_t m_most;
};

struct Enough // ends the parser when the rows asked for are there
{};

// Takes each element of the array as it is complete and drops it, so that memory holds one at a time.
void readArray(const std::filesystem::path& file, std::string_view content, Collector& collector)
{
    const auto each = [&](int depth, json::parse_event_t event, json& parsed) {
        refuseDeep(depth, file.string());
        if (depth != 1) return true;
        const bool object = event == json::parse_event_t::object_end;
        const bool other = event == json::parse_event_t::value || event == json::parse_event_t::array_end;
        if (!object && !other) return true;
        collector.add(parsed, 0);
        if (collector.isFull()) throw Enough{};
        return false;
    };
    try {
        const json rest = json::parse(content.begin(), content.end(), each);
    } catch (const Enough&) {
    } catch (const json::exception& error) {
        const std::string message = error.what();
        const auto end = message.find("] ");
        throw EngineError(ErrorKind::InvalidFile,
                          fmt::format("{}: {}; {}", file.string(),
                                      end == std::string::npos ? message : message.substr(end + 2),
                                      k_expected));
    }
}

void readLines(std::string_view content, Collector& collector)
{
    TextLines lines(content);
    while (!collector.isFull()) {
        const auto line = lines.next();
        if (!line) return;
        try {
            collector.add(parseJson(line->text, "the line"), line->number);
        } catch (const EngineError& error) {
            collector.skip(line->number, error.what());
        }
    }
}

} // namespace

std::pair<std::string, Conversation> conversationFromJson(const json& value)
{
    const JsonFields fields(value, {});
    std::pair<std::string, Conversation> read;
    if (fields.has("conversations"))
        read = {"sharegpt", shareGpt(fields, "conversations")};
    else if (fields.has("messages"))
        read = {"sharegpt", shareGpt(fields, "messages")};
    else if (fields.has("conversation"))
        read = {"lmsys-chat-1m", shareGpt(fields, "conversation")};
    else if (fields.has("instruction"))
        read = {"alpaca", alpaca(fields)};
    else
        refuseRow("has neither \"instruction\" nor \"conversations\": " + shownJson(value));
    std::string& id = read.second.id;
    id = fields.label("id");
    if (id.empty()) id = fields.label("conversation_id");
    return read;
}

ConversationFile readConversations(const std::filesystem::path& file, std::size_t most)
{
    const MappedFile mapped(file);
    refuseUtf16(mapped.content(), file);
    const std::string_view content = withoutByteOrderMark(mapped.content());
    const std::string_view start = trimmed(content.substr(0, 4096));
    ConversationFile result;
    Collector collector(result, most);
    if (start.starts_with('['))
        readArray(file, content, collector);
    else if (start.starts_with('{'))
        readLines(content, collector);
    else
        throw EngineError(ErrorKind::InvalidFile, fmt::format("{}: {}; the file seems to be {}",
                                                              file.string(), k_expected, describeFile(file)));
    if (result.conversations.empty()) {
        const std::string first = result.skipped.empty() ? "it has no rows" : result.skipped.front().text();
        throw EngineError(ErrorKind::InvalidFile, fmt::format("{}: no conversation could be read ({}); {}",
                                                              file.string(), first, k_expected));
    }
    return result;
}

} // namespace batchscope::engine
