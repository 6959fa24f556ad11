// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/data/csv.h"

#include "engine/data/text_lines.h"

#include <algorithm>
#include <fmt/core.h>

namespace batchscope::engine {

CsvReader::CsvReader(std::string_view content, std::int64_t first_line)
    : m_content(withoutByteOrderMark(content)), m_line(first_line)
{}

bool CsvReader::takeLineBreak()
{
    const std::string_view rest = m_content.substr(m_at);
    const std::size_t bytes = rest.starts_with("\r\n")                           ? 2
                              : rest.starts_with('\n') || rest.starts_with('\r') ? 1
                                                                                 : 0;
    m_at += bytes;
    m_line += bytes > 0 ? 1 : 0;
    return bytes > 0;
}

std::string CsvReader::plainField()
{
    const std::size_t end = std::min(m_content.find_first_of(",\r\n", m_at), m_content.size());
    std::string field(m_content.substr(m_at, end - m_at));
    m_at = end;
    return field;
}

std::string CsvReader::quotedField(CsvRecord& record)
{
    const std::int64_t opened = m_line;
    std::string field;
    for (++m_at; !atEnd(); ++m_at) {
        const char c = m_content[m_at];
        if (c == '"') {
            if (m_at + 1 >= m_content.size() || m_content[m_at + 1] != '"') {
                ++m_at;
                if (!atEnd() && std::string_view(",\r\n").find(m_content[m_at]) == std::string_view::npos) {
                    record.problem =
                        fmt::format("text after the closing quote of field {}", record.fields.size() + 1);
                    field += plainField();
                }
                return field;
            }
            ++m_at;
        }
        if (c == '\n') ++m_line;
        field += c;
    }
    record.problem = fmt::format("the quote that field {} opens in line {} is never closed",
                                 record.fields.size() + 1, opened);
    return field;
}

std::optional<CsvRecord> CsvReader::next()
{
    while (!atEnd() && takeLineBreak()) {
    }
    if (atEnd()) return std::nullopt;
    CsvRecord record;
    record.line = m_line;
    while (true) {
        record.fields.push_back(!atEnd() && m_content[m_at] == '"' ? quotedField(record) : plainField());
        if (atEnd() || takeLineBreak()) return record;
        ++m_at; // the comma
    }
}

bool hasOtherSeparator(const std::vector<std::string>& columns)
{
    return columns.size() == 1 && columns.front().find_first_of(";\t") != std::string::npos;
}

std::string csvField(std::string_view text)
{
    const bool plain = text.find_first_of(",\"\r\n") == std::string_view::npos && !text.starts_with(' ') &&
                       !text.ends_with(' ');
    if (plain) return std::string(text);
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    return quoted + '"';
}

} // namespace batchscope::engine
