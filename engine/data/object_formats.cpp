// SPDX-License-Identifier: GPL-3.0-or-later
// Formats whose rows are JSON objects, and request files in both their forms.
#include "engine/checkpoint/json_fields.h"
#include "engine/data/conversation_row.h"
#include "engine/data/request_row.h"
#include "engine/data/row_reader.h"
#include "engine/data/text_lines.h"
#include "engine/error.h"

#include <algorithm>
#include <fmt/format.h>

namespace batchscope::engine {
namespace {

using nlohmann::json;

[[noreturn]] void refuseRow(const std::string& reason)
{
    throw EngineError(ErrorKind::InvalidFile, reason);
}

// A request file: its own rules for every key (request_row.h), its times by the rules of traces.
class RequestReader : public RowReader
{
public:
    explicit RequestReader(std::vector<std::string> columns) : m_columns(std::move(columns))
    {
        for (const auto& column : m_columns)
            note(column);
    }

    ReadRow read(const json& object) override
    {
        if (object.is_object())
            for (const auto& [key, value] : object.items())
                note(key);
        return taken(object);
    }

    ReadRow read(const CsvRecord& record) override
    {
        if (record.fields.size() != m_columns.size())
            refuseRow(fmt::format("has {} fields, expected {} as in the header", record.fields.size(),
                                  m_columns.size()));
        json object = json::object();
        for (std::size_t i = 0; i < m_columns.size(); ++i) {
            const std::string& cell = record.fields[i];
            if (!isUtf8(cell)) refuseRow(fmt::format("\"{}\" is no valid UTF-8", m_columns[i]));
            if (!cell.empty() && isRequestColumn(m_columns[i]))
                object[m_columns[i]] = requestCellToJson(m_columns[i], cell);
        }
        return taken(std::move(object));
    }

    std::string timeColumn() const override { return "arrival_s"; }

private:
    void note(const std::string& column)
    {
        const bool known =
            isRequestColumn(column) ||
            std::find(unknown_columns.begin(), unknown_columns.end(), column) != unknown_columns.end();
        if (!known) unknown_columns.push_back(column);
    }

    // The time may count from 1970 in any unit: it is left to the importer.
    static ReadRow taken(json object)
    {
        ReadRow read;
        if (object.is_object() && object.contains("arrival_s")) {
            const json time = object["arrival_s"];
            object.erase("arrival_s");
            if (time.is_number())
                read.time = time.dump();
            else if (time.is_string())
                read.time = time.get<std::string>();
            else if (!time.is_null())
                refuseRow("\"arrival_s\" is " + shownJson(time) + ", expected a number");
        }
        RequestRow from = requestRowFromJson(object);
        SourceRow row;
        row.id = std::move(from.id);
        row.client = std::move(from.client);
        row.prefix_group = std::move(from.prefix_group);
        row.prompt = from.prompt.value_or(std::string{});
        row.prompt_ids = std::move(from.prompt_token_ids);
        row.prompt_tokens = from.prompt_tokens;
        row.output_tokens = from.output_tokens;
        row.predicted_tokens = from.predicted_tokens;
        row.priority = from.priority;
        read.requests.push_back(std::move(row));
        return read;
    }

    std::vector<std::string> m_columns;
};

// Requests whose prompts begin with the same block share a prefix: the first of the blocks' ids names the
// group.
class MooncakeReader : public RowReader
{
public:
    explicit MooncakeReader(const ImportOptions& options) : m_tokens(options.clip_zero_tokens) {}

    using RowReader::read;
    ReadRow read(const json& object) override
    {
        const JsonFields fields(object, {});
        ReadRow read;
        SourceRow row;
        row.prompt_tokens = m_tokens.count("input_length", value(object, "input_length"), read.clipped);
        row.output_tokens = m_tokens.count("output_length", value(object, "output_length"), read.clipped);
        if (fields.has("hash_ids")) {
            const json& ids = fields.at("hash_ids");
            if (!ids.is_array()) fields.refuse("hash_ids", "a list of block ids");
            if (!ids.empty()) row.prefix_group = ids[0].dump();
        }
        if (fields.has("timestamp")) read.time = fields.at("timestamp").dump();
        read.requests.push_back(std::move(row));
        return read;
    }

    std::string timeColumn() const override { return "timestamp"; }
    TimeUnit timeUnit() const override { return TimeUnit::Milliseconds; }

private:
    static json value(const json& object, const char* key)
    {
        return object.contains(key) ? object.at(key) : json();
    }
    TokenRule m_tokens;
};

class ConversationReader : public RowReader
{
public:
    explicit ConversationReader(const ImportOptions& options) : m_all_turns(options.all_turns) {}

    using RowReader::read;
    ReadRow read(const json& object) override
    {
        Conversation conversation = conversationFromJson(object).second;
        ReadRow read;
        auto& turns = conversation.turns;
        const std::size_t asked = m_all_turns ? turns.size() : 1;
        for (std::size_t i = 0; i < asked; ++i) {
            SourceRow row;
            row.id = conversation.id;
            row.earlier.assign(turns.begin(), turns.begin() + static_cast<std::ptrdiff_t>(i));
            row.prompt = turns[i].user;
            row.answer = turns[i].assistant;
            row.follows_previous = i > 0;
            read.requests.push_back(std::move(row));
        }
        return read;
    }

private:
    bool m_all_turns;
};

} // namespace

ReadRow RowReader::read(const json&)
{
    refuseRow("is a JSON object, but the format is a CSV table");
}

ReadRow RowReader::read(const CsvRecord&)
{
    refuseRow("is a CSV record, but the format has JSON objects");
}

std::unique_ptr<RowReader> requestReader(std::vector<std::string> columns)
{
    return std::make_unique<RequestReader>(std::move(columns));
}

std::unique_ptr<RowReader> mooncakeReader(const ImportOptions& options)
{
    return std::make_unique<MooncakeReader>(options);
}

std::unique_ptr<RowReader> conversationReader(const ImportOptions& options)
{
    return std::make_unique<ConversationReader>(options);
}

} // namespace batchscope::engine
