// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace batchscope::sessions {

// RFC 4180: quoted where it holds a separator, a quote or the end of a line; quotes doubled.
inline std::string csvField(const std::string& text)
{
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    return quoted + '"';
}

} // namespace batchscope::sessions
