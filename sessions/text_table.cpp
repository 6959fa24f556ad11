// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/text_table.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace batchscope::sessions {

namespace {

struct Range
{
    char32_t first, last;
};

// Unicode's blocks of combining marks, joiners and variation selectors.
constexpr Range k_zero_width[] = {{0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x064B, 0x065F},
                                  {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200F}, {0x20D0, 0x20FF},
                                  {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}};
// Blocks whose letters are wide in every terminal (UAX #11, W and F), and emoji.
constexpr Range k_wide[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},  {0x3041, 0x33FF}, {0x3400, 0x4DBF},
                            {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},  {0xAC00, 0xD7A3}, {0xF900, 0xFAFF},
                            {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},  {0xFFE0, 0xFFE6}, {0x1F300, 0x1F64F},
                            {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};

template <std::size_t N>
bool isIn(const Range (&ranges)[N], char32_t letter)
{
    return std::any_of(std::begin(ranges), std::end(ranges),
                       [&](const Range& range) { return letter >= range.first && letter <= range.last; });
}

// Next letter from `at` on, which moves behind it; a byte that is no UTF-8 counts as one letter.
char32_t nextLetter(std::string_view text, std::size_t& at)
{
    const auto first = static_cast<std::uint8_t>(text[at++]);
    const int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC0 ? 1 : 0;
    if (more == 0) return first;
    char32_t letter = first & (0x3FU >> static_cast<unsigned>(more));
    for (int i = 0; i < more && at < text.size() && (static_cast<std::uint8_t>(text[at]) & 0xC0U) == 0x80U;
         ++i)
        letter = (letter << 6U) | (static_cast<std::uint8_t>(text[at++]) & 0x3FU);
    return letter;
}

} // namespace

std::size_t displayWidth(std::string_view text)
{
    std::size_t width = 0;
    for (std::size_t at = 0; at < text.size();) {
        const char32_t letter = nextLetter(text, at);
        if (!isIn(k_zero_width, letter)) width += isIn(k_wide, letter) ? 2 : 1;
    }
    return width;
}

std::string padded(std::string_view text, std::size_t width, bool right)
{
    const std::size_t own = displayWidth(text);
    const std::string blanks(width > own ? width - own : 0, ' ');
    return right ? blanks + std::string(text) : std::string(text) + blanks;
}

std::string wrapped(std::string_view text, std::size_t width)
{
    std::string lines;
    std::size_t column = 0;
    for (std::size_t at = 0; at < text.size();) {
        const auto end = std::min(text.find_first_of(" \n", at), text.size());
        const auto word = text.substr(at, end - at);
        const auto word_width = displayWidth(word);
        if (column > 0 && column + 1 + word_width > width) {
            lines += '\n';
            column = 0;
        } else if (column > 0) {
            lines += ' ';
            ++column;
        }
        lines += word;
        column += word_width;
        if (end < text.size() && text[end] == '\n') {
            lines += '\n';
            column = 0;
        }
        at = end + 1;
    }
    return lines;
}

std::string TextTable::text() const
{
    std::vector<std::size_t> widths(m_columns.size(), 0);
    for (const auto& row : m_rows)
        for (std::size_t c = 0; c < std::min(row.size(), widths.size()); ++c)
            widths[c] = std::max(widths[c], displayWidth(row[c]));
    std::string lines;
    for (std::size_t r = 0; r < m_rows.size(); ++r) {
        std::string line;
        for (std::size_t c = 0; c < std::min(m_rows[r].size(), widths.size()); ++c)
            line += (c > 0 ? "  " : "") + padded(m_rows[r][c], widths[c], m_columns[c] == Align::Right);
        line.erase(line.find_last_not_of(' ') + 1);
        lines += line + '\n';
        if (r > 0) continue;
        std::size_t all = widths.empty() ? 0 : 2 * (widths.size() - 1);
        for (const std::size_t width : widths)
            all += width;
        for (std::size_t i = 0; i < all; ++i)
            lines += "─";
        lines += '\n';
    }
    return lines;
}

} // namespace batchscope::sessions
