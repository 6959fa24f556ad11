// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/data/recognise.h"

#include "engine/checkpoint/file_kind.h"
#include "engine/checkpoint/json_fields.h"
#include "engine/data/request_row.h"
#include "engine/data/row_stream.h"
#include "engine/data/text_lines.h"
#include "engine/error.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace batchscope::engine {
namespace {

using nlohmann::json;
using Columns = std::vector<std::string>;

constexpr int k_rows_looked_at = 50;          // before a file's objects are called unknown
constexpr int k_predictions_looked_at = 1000; // before predictions are called classes

struct ObjectFormat
{
    const char* name;
    const char* title;
    std::vector<const char*> keys; // that its objects have
};

const std::vector<ObjectFormat>& objectFormats()
{
    static const std::vector<ObjectFormat> k_formats{
        {"sharegpt", "ShareGPT conversations", {"conversations"}},
        {"sharegpt", "ShareGPT conversations", {"messages"}},
        {"lmsys-chat-1m", "LMSYS-Chat-1M conversations", {"conversation"}},
        {"alpaca", "Alpaca instructions", {"instruction"}},
        {"mooncake", "Mooncake trace", {"input_length", "output_length"}},
        {"requests", "request file", {"prompt"}},
        {"requests", "request file", {"prompt_tokens"}},
        {"requests", "request file", {"prompt_token_ids"}}};
    return k_formats;
}

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& what)
{
    throw EngineError(ErrorKind::InvalidFile, fmt::format("{}: {}", file.string(), what));
}

std::string formatNames()
{
    std::string names;
    for (const auto& format : importFormats())
        names += (names.empty() ? "" : ", ") + format.name;
    return names;
}

bool hasAll(const Columns& columns, const std::vector<const char*>& needed)
{
    return std::all_of(needed.begin(), needed.end(), [&](const char* name) {
        return std::find(columns.begin(), columns.end(), name) != columns.end();
    });
}

Columns headerOf(const std::filesystem::path& file)
{
    RowStream stream(file);
    const auto row = stream.next();
    if (!row) fail(file, "holds no rows; it seems to be " + describeFile(file));
    const CsvRecord header = csvRecord(*row);
    if (!header.problem.empty() || !isUtf8(row->text))
        fail(file, fmt::format("line {}: no header of a CSV table could be read; the file seems to be {}",
                               row->line, describeFile(file)));
    Columns columns;
    for (const auto& field : header.fields) {
        columns.emplace_back(trimmed(field));
        const auto& name = columns.back();
        if (!name.empty() && std::count(columns.begin(), columns.end(), name) > 1)
            fail(file, fmt::format("line {}: the column \"{}\" is there twice", row->line, name));
    }
    return columns;
}

// 3 or 5 where the predictions are classes of so many, 0 where they are tokens: predictions of a thousand
// rows that never pass 4 are no lengths.
int predictionClasses(const std::filesystem::path& file, const Columns& columns, const char* column)
{
    const auto place =
        static_cast<std::size_t>(std::find(columns.begin(), columns.end(), column) - columns.begin());
    RowStream stream(file);
    stream.next();
    double largest = 0;
    int seen = 0;
    while (seen < k_predictions_looked_at) {
        const auto row = stream.next();
        if (!row) break;
        const CsvRecord record = csvRecord(*row);
        if (!record.problem.empty() || record.fields.size() != columns.size()) continue;
        const json value = requestCellToJson(column, record.fields[place]);
        if (!value.is_number()) continue;
        const double number = value.get<double>();
        if (number != std::floor(number) || number < 0 || number > 4) return 0;
        largest = std::max(largest, number);
        ++seen;
    }
    return seen == 0 ? 0 : largest > 2 ? 5 : 3;
}

Recognised recogniseTable(const std::filesystem::path& file, const ImportOptions& options)
{
    Recognised result;
    result.columns = headerOf(file);
    const auto& columns = result.columns;
    const std::string header = fmt::format("{}", fmt::join(columns, ", "));
    const bool separated = !hasOtherSeparator(columns);
    const char* hint = separated ? "" : k_commas_wanted;
    for (const TableFormat& format : tableFormats()) {
        const bool named = options.format == format.name;
        if (!named && !(options.format.empty() && hasAll(columns, format.needed))) continue;
        if (!hasAll(columns, format.needed))
            fail(file, fmt::format("is to be read as {}, which needs the columns {}; found {}{}", format.name,
                                   fmt::join(format.needed, ", "), header, hint));
        result.name = format.name;
        result.title = format.title;
        result.why = fmt::format("the columns {}", fmt::join(format.needed, ", "));
        const int classes =
            format.predicted_tokens ? predictionClasses(file, columns, format.predicted_tokens) : 0;
        result.reader = tableReader(format, columns, options, classes);
        return result;
    }
    const bool has_prompt = std::any_of(columns.begin(), columns.end(),
                                        [](const auto& name) { return name.starts_with("prompt"); });
    if ((options.format.empty() || options.format == "requests") && has_prompt && separated) {
        result.name = "requests";
        result.title = "request file";
        result.why = "a prompt column";
        result.reader = requestReader(columns);
        return result;
    }
    if (options.format == "requests")
        fail(file,
             fmt::format("line 1: no prompt column; expected one JSON object a line, or a CSV header with "
                         "\"prompt\", \"prompt_token_ids\" or \"prompt_tokens\", found: {}; the file seems "
                         "to be {}{}",
                         header.substr(0, 200), describeFile(file), hint));
    if (!options.format.empty())
        fail(file, fmt::format("is to be read as {}, but it is a CSV table with the columns {}{}",
                               options.format, header, hint));
    fail(file,
         fmt::format("no format that is known here: the first line is \"{}\"; expected one of {}; the file "
                     "seems to be {}{}",
                     header.size() > 200 ? header.substr(0, 200) + "..." : header, formatNames(),
                     describeFile(file), hint));
}

std::unique_ptr<RowReader> objectReader(const std::string& name, const ImportOptions& options)
{
    if (name == "requests") return requestReader({});
    if (name == "mooncake") return mooncakeReader(options);
    return conversationReader(options);
}

Recognised asObjects(const ObjectFormat& format, const std::string& why, const ImportOptions& options)
{
    Recognised result;
    result.name = format.name;
    result.title = format.title;
    result.why = why;
    result.reader = objectReader(result.name, options);
    return result;
}

Recognised recogniseObjects(const std::filesystem::path& file, const ImportOptions& options)
{
    for (const ObjectFormat& format : objectFormats())
        if (options.format == format.name) return asObjects(format, "named", options);
    if (!options.format.empty())
        fail(file, fmt::format("is to be read as {}, a CSV table, but it holds JSON", options.format));
    RowStream stream(file);
    std::string first_keys, problem;
    for (int i = 0; i < k_rows_looked_at; ++i) {
        const auto row = stream.next();
        if (!row) break;
        json object;
        try {
            object = parseJson(row->text, fmt::format("line {}", row->line));
        } catch (const EngineError& error) {
            if (problem.empty()) problem = fmt::format(" ({})", error.what());
        }
        if (!object.is_object()) continue;
        Columns keys;
        for (const auto& [key, value] : object.items())
            keys.push_back(key);
        for (const ObjectFormat& format : objectFormats())
            if (hasAll(keys, format.keys))
                return asObjects(format, fmt::format("the keys {}", fmt::join(format.keys, ", ")), options);
        if (first_keys.empty()) first_keys = fmt::format("{}", fmt::join(keys, ", "));
    }
    fail(file, fmt::format("no format that is known here: {}; expected one of {}",
                           first_keys.empty() ? "none of the first rows is a JSON object" + problem
                                              : "its first object has the keys " + first_keys,
                           formatNames()));
}

} // namespace

std::vector<ImportFormat> importFormats()
{
    std::vector<ImportFormat> formats;
    for (const ObjectFormat& format : objectFormats())
        if (formats.empty() || formats.back().name != format.name)
            formats.push_back({format.name, format.title, fmt::format("{}", fmt::join(format.keys, ", "))});
    for (const TableFormat& format : tableFormats())
        formats.push_back({format.name, format.title, fmt::format("{}", fmt::join(format.needed, ", "))});
    return formats;
}

Recognised recognise(const std::filesystem::path& file, const ImportOptions& options)
{
    const auto formats = importFormats();
    const bool known = std::any_of(formats.begin(), formats.end(),
                                   [&](const ImportFormat& format) { return format.name == options.format; });
    if (!options.format.empty() && !known)
        throw EngineError(ErrorKind::InvalidFile, fmt::format("there is no format \"{}\"; there are {}",
                                                              options.format, formatNames()));
    if (!options.time_unit.empty() && !timeUnitFromName(options.time_unit))
        throw EngineError(
            ErrorKind::InvalidFile,
            fmt::format("there is no time unit \"{}\"; there are s, ms, us, ns", options.time_unit));
    Recognised result = RowStream(file).shape() == RowStream::Shape::CsvRecords
                            ? recogniseTable(file, options)
                            : recogniseObjects(file, options);
    if (!options.format.empty()) result.why = "as asked for";
    return result;
}

} // namespace batchscope::engine
