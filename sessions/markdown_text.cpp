// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/markdown_text.h"

#include <string_view>

namespace batchscope::sessions {

std::string escaped(const std::string& text)
{
    std::string out;
    for (const char c : text) {
        if (c == '\n' || c == '\r') {
            out += ' ';
            continue;
        }
        if (std::string_view("|*_`<>[]\\").find(c) != std::string_view::npos) out += '\\';
        out += c;
    }
    return out;
}

} // namespace batchscope::sessions
