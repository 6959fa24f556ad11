// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/data/text_lines.h"

#include "engine/error.h"

#include <algorithm>
#include <fmt/core.h>

namespace batchscope::engine {

std::string_view withoutByteOrderMark(std::string_view text)
{
    return text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text;
}

void refuseUtf16(std::string_view text, const std::filesystem::path& file)
{
    const bool little = text.starts_with("\xFF\xFE");
    if (!little && !text.starts_with("\xFE\xFF")) return;
    throw EngineError(
        ErrorKind::InvalidFile,
        fmt::format("{}: is UTF-16 text (its byte order mark is {}), expected UTF-8; save it as UTF-8, for "
                    "example with: iconv -f UTF-16 -t UTF-8 FILE > NEW",
                    file.string(), little ? "FF FE" : "FE FF"));
}

std::string_view trimmed(std::string_view text)
{
    static constexpr std::string_view k_space = " \t\r\n";
    const std::size_t first = text.find_first_not_of(k_space);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(k_space) - first + 1);
}

bool isUtf8(std::string_view text)
{
    for (std::size_t at = 0; at < text.size();) {
        const auto lead = static_cast<unsigned char>(text[at]);
        const std::size_t more = lead < 0x80   ? 0
                                 : lead < 0xC2 ? 4
                                 : lead < 0xE0 ? 1
                                 : lead < 0xF0 ? 2
                                 : lead < 0xF5 ? 3
                                               : 4;
        if (more == 4 || at + more >= text.size()) return false;
        std::uint32_t code = more == 0 ? lead : lead & (0x3FU >> more);
        for (std::size_t i = 1; i <= more; ++i) {
            const auto byte = static_cast<unsigned char>(text[at + i]);
            if ((byte & 0xC0U) != 0x80U) return false;
            code = (code << 6U) | (byte & 0x3FU);
        }
        const bool overlong = (more == 2 && code < 0x800) || (more == 3 && code < 0x10000);
        if (overlong || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return false;
        at += more + 1;
    }
    return true;
}

std::optional<TextLine> TextLines::next()
{
    while (!m_rest.empty()) {
        const std::size_t end = std::min(m_rest.find('\n'), m_rest.size());
        const std::string_view line = m_rest.substr(0, end);
        m_rest.remove_prefix(std::min(end + 1, m_rest.size()));
        ++m_number;
        if (!trimmed(line).empty())
            return TextLine{m_number, line.ends_with('\r') ? line.substr(0, line.size() - 1) : line};
    }
    return std::nullopt;
}

} // namespace batchscope::engine
