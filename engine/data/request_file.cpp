// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/data/request_file.h"

#include "engine/checkpoint/atomic_file.h"
#include "engine/checkpoint/file_kind.h"
#include "engine/checkpoint/json_fields.h"
#include "engine/data/csv.h"
#include "engine/data/request_row.h"
#include "engine/data/row_stream.h"
#include "engine/data/text_lines.h"
#include "engine/error.h"

#include <algorithm>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <functional>

namespace batchscope::engine {
namespace {

using nlohmann::json;

constexpr const char* k_prompt_forms = "\"prompt\", \"prompt_token_ids\" or \"prompt_tokens\"";

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& what)
{
    throw EngineError(ErrorKind::InvalidFile, fmt::format("{}: {}", file.string(), what));
}

bool isCsv(const std::filesystem::path& file)
{
    std::string extension = file.extension().string();
    for (char& c : extension)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return extension == ".csv";
}

void noteUnknown(RequestFile& result, const std::string& column)
{
    auto& unknown = result.unknown_columns;
    if (!isRequestColumn(column) && std::find(unknown.begin(), unknown.end(), column) == unknown.end())
        unknown.push_back(column);
}

// Adds what `read` gives, or the reason why it gives nothing.
void addRow(RequestFile& result, std::int64_t line, const std::function<RequestRow()>& read)
{
    try {
        result.rows.push_back(read());
    } catch (const EngineError& error) {
        const auto row = static_cast<std::int64_t>(result.rows.size() + result.skipped.size()) + 1;
        result.skipped.push_back({row, line, error.what()});
    }
}

RequestFile readJsonl(RowStream& rows)
{
    RequestFile result;
    while (const auto row = rows.next())
        addRow(result, row->line, [&] {
            const json object = parseJson(row->text, "the line");
            if (object.is_object())
                for (const auto& [key, value] : object.items())
                    noteUnknown(result, key);
            return requestRowFromJson(object);
        });
    return result;
}

std::vector<std::string> readHeader(const std::filesystem::path& file, RowStream& rows, RequestFile& result)
{
    const auto row = rows.next();
    if (!row) return {};
    const CsvRecord header = csvRecord(*row);
    if (!header.problem.empty()) fail(file, fmt::format("line {}: {}", header.line, header.problem));
    std::vector<std::string> columns;
    bool has_prompt = false;
    for (const std::string& field : header.fields) {
        std::string name(trimmed(field));
        if (std::find(columns.begin(), columns.end(), name) != columns.end())
            fail(file, fmt::format("line {}: the column \"{}\" is there twice", header.line, name));
        noteUnknown(result, name);
        has_prompt = has_prompt || name.starts_with("prompt");
        columns.push_back(std::move(name));
    }
    if (!has_prompt || hasOtherSeparator(columns))
        fail(file, fmt::format("line {}: no prompt column; expected a header with {}, found: {}{}",
                               header.line, k_prompt_forms, fmt::join(columns, ", "),
                               hasOtherSeparator(columns) ? k_commas_wanted : ""));
    return columns;
}

RequestRow rowFromRecord(const CsvRecord& record, const std::vector<std::string>& columns)
{
    if (!record.problem.empty()) throw EngineError(ErrorKind::InvalidFile, record.problem);
    if (record.fields.size() != columns.size())
        throw EngineError(ErrorKind::InvalidFile, fmt::format("has {} fields, expected {} as in the header",
                                                              record.fields.size(), columns.size()));
    json object = json::object();
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const std::string& cell = record.fields[i];
        if (!isUtf8(cell))
            throw EngineError(ErrorKind::InvalidFile, fmt::format("\"{}\" is no valid UTF-8", columns[i]));
        if (!cell.empty() && isRequestColumn(columns[i]))
            object[columns[i]] = requestCellToJson(columns[i], cell);
    }
    return requestRowFromJson(object);
}

RequestFile readCsv(const std::filesystem::path& file, RowStream& rows)
{
    RequestFile result;
    const auto columns = readHeader(file, rows, result);
    while (const auto row = rows.next())
        addRow(result, row->line, [&] { return rowFromRecord(csvRecord(*row), columns); });
    return result;
}

std::string jsonlText(std::span<const RequestRow> rows)
{
    std::string text;
    for (const RequestRow& row : rows)
        text += requestRowToJson(row).dump() + "\n";
    return text;
}

std::string csvText(std::span<const RequestRow> rows)
{
    std::string text = fmt::format("{}\n", fmt::join(k_request_columns, ","));
    for (const RequestRow& row : rows) {
        const auto cells = requestRowToJson(row);
        std::string line;
        for (const std::string_view column : k_request_columns) {
            const auto cell = cells.find(std::string(column));
            line += (column == k_request_columns.front() ? "" : ",") +
                    (cell == cells.end() ? std::string() : csvField(requestCellFromJson(*cell)));
        }
        text += line + "\n";
    }
    return text;
}

} // namespace

std::string SkippedRow::text() const
{
    return fmt::format("row {} (line {}): {}", row, line, reason);
}

std::string rowLabel(std::int64_t row)
{
    return fmt::format("row {}", row);
}

void labelRows(RequestFile& file)
{
    std::int64_t number = 0;
    auto skipped = file.skipped.begin();
    for (RequestRow& row : file.rows) {
        for (++number; skipped != file.skipped.end() && skipped->row == number; ++skipped)
            ++number;
        if (row.id.empty()) row.id = rowLabel(number);
    }
}

RequestFile readRequestFile(const std::filesystem::path& file)
{
    RowStream rows(file);
    if (rows.shape() == RowStream::Shape::JsonArray)
        fail(file, "is one JSON array; a request file has one JSON object a line (JSONL), or is a .csv file");
    if (rows.shape() == RowStream::Shape::Lines) return readJsonl(rows);
    if (!isCsv(file) && !rows.isEmpty())
        fail(file,
             fmt::format("is no request file: expected one JSON object a line (JSONL) or a name that ends in "
                         ".csv; it seems to be {}",
                         describeFile(file)));
    return readCsv(file, rows);
}

void writeRequestFile(const std::filesystem::path& file, std::span<const RequestRow> rows)
{
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (!isUtf8(rows[i].id) || !isUtf8(rows[i].prompt.value_or("")) || !isUtf8(rows[i].client) ||
            !isUtf8(rows[i].prefix_group))
            fail(file, fmt::format("cannot be written: the text of row {} is no valid UTF-8", i + 1));
    writeWholeFile(file, isCsv(file) ? csvText(rows) : jsonlText(rows));
}

} // namespace batchscope::engine
