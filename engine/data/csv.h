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
    // `content`, whose first line has this number, must outlive the reader; a leading byte order mark is
    // skipped.
    explicit CsvReader(std::string_view content, std::int64_t first_line = 1);
    std::optional<CsvRecord> next(); // blank lines are no records

private:
    bool atEnd() const { return m_at >= m_content.size(); }
    bool takeLineBreak();
    std::string plainField();
    std::string quotedField(CsvRecord& record);

    std::string_view m_content;
    std::size_t m_at = 0;
    std::int64_t m_line;
};

// Whether a header that should have several columns has them apart by semicolons or tabs, as spreadsheets of
// some countries write them, and what to say of it.
bool hasOtherSeparator(const std::vector<std::string>& columns);
inline constexpr const char* k_commas_wanted = "; separate the columns by commas, not by semicolons or tabs";

std::string csvField(std::string_view text); // quoted where it must be

} // namespace batchscope::engine
