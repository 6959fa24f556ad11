// SPDX-License-Identifier: GPL-3.0-or-later
// Traces and predictions that are CSV tables: one line of the list below each.
#include "engine/data/request_row.h"
#include "engine/data/row_reader.h"
#include "engine/data/text_lines.h"
#include "engine/error.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace batchscope::engine {
namespace {

using nlohmann::json;

[[noreturn]] void refuseRow(const std::string& reason)
{
    throw EngineError(ErrorKind::InvalidFile, reason);
}

// Upper ends of the classes that SSJF's predictors give (papers.md 6.1 and J-18, single round; the lengths
// end at 512).
constexpr std::array<int, 5> k_five_classes{42, 141, 294, 503, 512};
constexpr std::array<int, 3> k_three_classes{141, 503, 512};

class TableReader : public RowReader
{
public:
    TableReader(const TableFormat& format, std::vector<std::string> columns, const ImportOptions& options,
                int classes)
        : m_format(format), m_columns(columns.size()), m_tokens(options.clip_zero_tokens), m_classes(classes)
    {
        const auto place = [&columns](const char* name) {
            const auto found = name ? std::find(columns.begin(), columns.end(), name) : columns.end();
            return found == columns.end() ? k_none : static_cast<std::size_t>(found - columns.begin());
        };
        m_time = place(format.time);
        m_prompt = place(format.prompt_tokens);
        m_output = place(format.output_tokens);
        m_predicted = place(format.predicted_tokens);
        m_id = place(format.id);
        m_client = place(format.client);
        m_type = place(k_request_type);
        for (std::size_t i = 0; i < columns.size(); ++i)
            if (!isRead(i) && !isUnused(columns[i]) && !columns[i].empty())
                unknown_columns.push_back(columns[i]);
    }

    using RowReader::read;
    ReadRow read(const CsvRecord& record) override
    {
        if (record.fields.size() != m_columns)
            refuseRow(
                fmt::format("has {} fields, expected {} as in the header", record.fields.size(), m_columns));
        refuseOtherServices(record);
        ReadRow read;
        SourceRow row;
        row.prompt_tokens = 1; // a format without prompts
        if (m_prompt != k_none)
            row.prompt_tokens = tokens(record, m_prompt, m_format.prompt_tokens, read.clipped);
        row.output_tokens = tokens(record, m_output, m_format.output_tokens, read.clipped);
        if (m_predicted != k_none) row.predicted_tokens = predicted(record.fields[m_predicted]);
        if (m_id != k_none) row.id = label(record.fields[m_id]);
        if (m_client != k_none) row.client = label(record.fields[m_client]);
        if (m_time != k_none) read.time = record.fields[m_time];
        read.requests.push_back(std::move(row));
        return read;
    }

    std::string timeColumn() const override { return m_time == k_none ? std::string() : m_format.time; }
    TimeUnit timeUnit() const override { return m_format.unit; }
    std::vector<std::string> notes() const override
    {
        std::vector<std::string> notes;
        if (m_prompt == k_none) notes.emplace_back("the format has no prompts: each counts as 1 token");
        if (m_classes > 0)
            notes.push_back(fmt::format("{} holds classes, 0 to {}, not tokens: read as the upper ends {}",
                                        m_format.predicted_tokens, m_classes - 1,
                                        m_classes == 3 ? fmt::format("{}", fmt::join(k_three_classes, ", "))
                                                       : fmt::format("{}", fmt::join(k_five_classes, ", "))));
        return notes;
    }

private:
    static constexpr std::size_t k_none = static_cast<std::size_t>(-1);
    static constexpr const char* k_request_type = "request_type";
    static constexpr double k_llm_request = 2; // splitwise: language model inference

    bool isRead(std::size_t i) const
    {
        return i == m_time || i == m_prompt || i == m_output || i == m_predicted || i == m_id ||
               i == m_client;
    }
    bool isUnused(const std::string& column) const
    {
        return std::any_of(m_format.unused.begin(), m_format.unused.end(),
                           [&](const char* name) { return column == name; });
    }

    int tokens(const CsvRecord& record, std::size_t column, const char* name, bool& clipped) const
    {
        return m_tokens.count(name, requestCellToJson(name, record.fields[column]), clipped);
    }

    static std::string label(const std::string& cell)
    {
        if (!isUtf8(cell)) refuseRow("a label is no valid UTF-8");
        return std::string(trimmed(cell));
    }

    int predicted(const std::string& cell) const
    {
        const json value = requestCellToJson(m_format.predicted_tokens, cell);
        if (!value.is_number())
            refuseRow(fmt::format("\"{}\" is \"{}\", expected a number", m_format.predicted_tokens, cell));
        const double number = std::clamp(value.get<double>(), 0.0, 1e9);
        if (m_classes == 0) return static_cast<int>(std::max(1.0, std::floor(number + 0.5)));
        const auto which = static_cast<std::size_t>(number);
        if (number != std::floor(number) || which >= static_cast<std::size_t>(m_classes))
            refuseRow(fmt::format("\"{}\" is \"{}\", but the rows before it hold classes from 0 to {}",
                                  m_format.predicted_tokens, cell, m_classes - 1));
        return m_classes == 3 ? k_three_classes.at(which) : k_five_classes.at(which);
    }

    void refuseOtherServices(const CsvRecord& record) const
    {
        if (m_type == k_none || std::string_view(m_format.name) != "splitwise") return;
        const json type = requestCellToJson(k_request_type, record.fields[m_type]);
        if (type.is_number() && type.get<double>() == k_llm_request) return;
        refuseRow(fmt::format("\"request_type\" is {}, expected 2 (a language model's request)",
                              record.fields[m_type].empty() ? "empty" : record.fields[m_type]));
    }

    const TableFormat& m_format;
    std::size_t m_columns;
    TokenRule m_tokens;
    int m_classes;
    std::size_t m_time = k_none, m_prompt = k_none, m_output = k_none, m_predicted = k_none, m_id = k_none,
                m_client = k_none, m_type = k_none;
};

} // namespace

const std::vector<TableFormat>& tableFormats()
{
    static const std::vector<TableFormat> k_formats{{"azure",
                                                     "Azure LLM inference trace, 2023 or 2024",
                                                     {"TIMESTAMP", "ContextTokens", "GeneratedTokens"},
                                                     "TIMESTAMP",
                                                     TimeUnit::Seconds,
                                                     "ContextTokens",
                                                     "GeneratedTokens",
                                                     nullptr,
                                                     nullptr,
                                                     nullptr,
                                                     {}},
                                                    {"burstgpt",
                                                     "BurstGPT trace",
                                                     {"Timestamp", "Request tokens", "Response tokens"},
                                                     "Timestamp",
                                                     TimeUnit::Seconds,
                                                     "Request tokens",
                                                     "Response tokens",
                                                     nullptr,
                                                     nullptr,
                                                     "Session ID",
                                                     {"Model", "Total tokens", "Log Type", "Elapsed time"}},
                                                    {"vidur",
                                                     "vidur trace",
                                                     {"num_prefill_tokens", "num_decode_tokens"},
                                                     "arrived_at",
                                                     TimeUnit::Seconds,
                                                     "num_prefill_tokens",
                                                     "num_decode_tokens",
                                                     nullptr,
                                                     nullptr,
                                                     nullptr,
                                                     {"num_total_tokens", "pd_ratio"}},
                                                    {"splitwise",
                                                     "splitwise trace",
                                                     {"arrival_timestamp", "prompt_size", "token_size"},
                                                     "arrival_timestamp",
                                                     TimeUnit::Seconds,
                                                     "prompt_size",
                                                     "token_size",
                                                     nullptr,
                                                     "request_id",
                                                     "application_id",
                                                     {"request_type", "batch_size"}},
                                                    {"ssjf-predictions",
                                                     "SSJF predictions",
                                                     {"output_token_length", "predicted_length"},
                                                     nullptr,
                                                     TimeUnit::Seconds,
                                                     nullptr,
                                                     "output_token_length",
                                                     "predicted_length",
                                                     "index",
                                                     nullptr,
                                                     {"latency", "model"}}};
    return k_formats;
}

int TokenRule::count(std::string_view column, const json& value, bool& clipped) const
{
    static constexpr double k_most = 1 << 24; // as in a request file
    const double number = value.is_number() ? value.get<double>() : std::nan("");
    const auto refuse = [&](const char* expected) {
        refuseRow(fmt::format("\"{}\" is {}, expected {}", column,
                              value.is_null()     ? "absent"
                              : value.is_string() ? "\"" + value.get<std::string>() + "\""
                                                  : value.dump(),
                              expected));
    };
    if (!(number >= -k_most && number <= k_most) || number != std::floor(number))
        refuse("a whole number of tokens up to 16777216");
    if (number < 0) refuse("a number of tokens of at least 1");
    if (number == 0 && !m_clip)
        refuse("at least 1 token (a request that failed or was never answered; zero_tokens \"clip\" takes it "
               "as 1)");
    clipped = clipped || number == 0;
    return std::max(1, static_cast<int>(number));
}

std::unique_ptr<RowReader> tableReader(const TableFormat& format, std::vector<std::string> columns,
                                       const ImportOptions& options, int prediction_classes)
{
    return std::make_unique<TableReader>(format, std::move(columns), options, prediction_classes);
}

} // namespace batchscope::engine
