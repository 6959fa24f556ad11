// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/shell_word.h"

namespace batchscope::sessions {

std::string shellWord(const std::string& text)
{
    constexpr const char* k_plain =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789@%+=:,./_-";
    if (!text.empty() && text.find_first_not_of(k_plain) == std::string::npos) return text;
    std::string word = "'";
    for (const char c : text)
        word += c == '\'' ? "'\\''" : std::string(1, c);
    return word + "'";
}

} // namespace batchscope::sessions
