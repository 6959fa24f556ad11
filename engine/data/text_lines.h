// SPDX-License-Identifier: GPL-3.0-or-later
// Text files as lines.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace batchscope::engine {

std::string_view withoutByteOrderMark(std::string_view text);
// Throws EngineError(InvalidFile) naming the file and the remedy where the text begins with the byte order
// mark of UTF-16 (as Windows' Notepad writes it under "Unicode").
void refuseUtf16(std::string_view text, const std::filesystem::path& file);
std::string_view trimmed(std::string_view text); // without white space at either end
bool isUtf8(std::string_view text);              // well-formed: no overlong forms, no surrogates

struct TextLine
{
    std::int64_t number = 0; // from 1
    std::string_view text;   // without its line break
};

// Lines that hold something, in order.
class TextLines
{
public:
    explicit TextLines(std::string_view content) : m_rest(withoutByteOrderMark(content)) {}
    std::optional<TextLine> next();

private:
    std::string_view m_rest;
    std::int64_t m_number = 0;
};

} // namespace batchscope::engine
