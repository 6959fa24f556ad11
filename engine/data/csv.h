// SPDX-License-Identifier: GPL-3.0-or-later
// Comma-separated values by RFC 4180: quoted fields may hold commas, doubled quotes and line breaks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace batchscope::engine {

struct CsvRecord
{
    std::int64_t line = 0; // where it begins, from 1
    std::vector<std::string> fields;
    std::string problem; // empty: well-formed
};

class CsvReader
{
public:
    explicit CsvReader(
        std::string_view content);   // must outlive the reader; a leading byte order mark is skipped
    std::optional<CsvRecord> next(); // blank lines are no records

private:
    bool atEnd() const { return m_at >= m_content.size(); }
    bool takeLineBreak();
    std::string plainField();
    std::string quotedField(CsvRecord& record);

    std::string_view m_content;
    std::size_t m_at = 0;
    std::int64_t m_line = 1;
};

std::string csvField(std::string_view text); // quoted where it must be

} // namespace batchscope::engine
