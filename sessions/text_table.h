// SPDX-License-Identifier: GPL-3.0-or-later
// Tables for a terminal: columns line up whatever letters they hold.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace batchscope::sessions {

// Terminal columns that UTF-8 text takes: combining marks none, East Asian wide letters two.
std::size_t displayWidth(std::string_view text);
std::string padded(std::string_view text, std::size_t width, bool right);
// Breaks at blanks so that no line is wider than `width` (a longer word stands alone); line breaks stay.
std::string wrapped(std::string_view text, std::size_t width);

class TextTable
{
public:
    enum class Align { Left, Right };
    explicit TextTable(std::vector<Align> columns) : m_columns(std::move(columns)) {}
    void addRow(std::vector<std::string> cells)
    {
        m_rows.push_back(std::move(cells));
    }                         // the first is the header
    std::string text() const; // columns two blanks apart, a rule under the header, no blanks at a line's end

private:
    std::vector<Align> m_columns;
    std::vector<std::vector<std::string>> m_rows;
};

} // namespace batchscope::sessions
