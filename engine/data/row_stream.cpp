// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/data/row_stream.h"

#include "engine/checkpoint/file_kind.h"
#include "engine/data/text_lines.h"
#include "engine/error.h"

#include <algorithm>
#include <cerrno>
#include <fmt/core.h>
#include <system_error>

namespace batchscope::engine {
namespace {

constexpr std::size_t k_longest_row = std::size_t{64} << 20U;   // a file without rows must not be read whole
constexpr std::size_t k_longest_quoted = std::size_t{1} << 20U; // of a field of several lines

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& what)
{
    throw EngineError(ErrorKind::InvalidFile, fmt::format("{}: {}", file.string(), what));
}

bool isSpace(int c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

} // namespace

ByteStream::ByteStream(const std::filesystem::path& file) : m_file(file)
{
    std::error_code status;
    if (std::filesystem::is_directory(file, status)) fail(file, "is a folder, expected a file");
    m_handle.reset(std::fopen(file.c_str(), "rb"));
    if (!m_handle) fail(file, "cannot be opened: " + std::generic_category().message(errno));
}

bool ByteStream::fill()
{
    m_at = 0;
    m_end = std::fread(m_block.data(), 1, m_block.size(), m_handle.get());
    if (m_end == 0 && std::ferror(m_handle.get()))
        fail(m_file, "cannot be read to its end: " + std::generic_category().message(errno));
    return m_end > 0;
}

std::string_view ByteStream::piece()
{
    if (m_at == m_end && !fill()) return {};
    return {m_block.data() + m_at, m_end - m_at};
}

void ByteStream::skipByteOrderMark()
{
    const std::string_view start = piece();
    skip(start.size() - withoutByteOrderMark(start).size());
}

RowStream::RowStream(const std::filesystem::path& file) : m_bytes(file)
{
    m_bytes.skipByteOrderMark();
    while (isSpace(m_bytes.peek())) {
        m_line += m_bytes.peek() == '\n' ? 1 : 0;
        m_bytes.skip();
    }
    const int first = m_bytes.peek();
    if (first == '{') m_shape = Shape::Lines;
    if (first == '[') {
        m_shape = Shape::JsonArray;
        m_bytes.skip();
    }
}

void RowStream::append(std::string_view bytes)
{
    if (m_row.size() + bytes.size() > k_longest_row)
        fail(m_bytes.file(),
             fmt::format("line {}: a row of more than {}; expected rows of a request file, trace "
                         "or data set; the file seems to be {}",
                         m_line, formatBytes(k_longest_row), describeFile(m_bytes.file())));
    m_row += bytes;
}

bool RowStream::readLine()
{
    if (m_back_at < m_back.size()) {
        const std::size_t end = std::min(m_back.find('\n', m_back_at), m_back.size());
        append(std::string_view(m_back).substr(m_back_at, end - m_back_at));
        m_back_at = end + 1;
        return true;
    }
    bool any = false;
    while (true) {
        const std::string_view piece = m_bytes.piece();
        if (piece.empty()) return any;
        any = true;
        const std::size_t end = piece.find('\n');
        append(piece.substr(0, end));
        if (end != std::string_view::npos) {
            m_bytes.skip(end + 1);
            return true;
        }
        m_bytes.skip(piece.size());
    }
}

std::optional<TextRow> RowStream::nextLine()
{
    while (true) {
        m_row.clear();
        const std::int64_t line = m_line;
        if (!readLine()) return std::nullopt;
        ++m_line;
        if (!trimmed(m_row).empty()) return TextRow{line, trimmed(m_row)};
    }
}

// A quoted field may hold line breaks: the record goes on while a quote is open. Where none closes it, its
// first line is the broken row and the lines after it are read again as rows of their own.
std::optional<TextRow> RowStream::nextRecord()
{
    const auto hasOddQuotes = [this](std::size_t from) {
        return std::count(m_row.begin() + static_cast<std::ptrdiff_t>(from), m_row.end(), '"') % 2 != 0;
    };
    while (true) {
        m_row.clear();
        const std::int64_t line = m_line;
        if (!readLine()) return std::nullopt;
        ++m_line;
        const std::size_t first_line = m_row.size();
        bool open = hasOddQuotes(0);
        while (open) {
            const std::size_t seen = m_row.size();
            append("\n");
            if (seen - first_line > k_longest_quoted || !readLine()) {
                m_row.resize(seen);
                takeBack(first_line);
                m_line = line + 1;
                return TextRow{line, m_row, true};
            }
            ++m_line;
            open = !hasOddQuotes(seen);
        }
        if (!trimmed(m_row).empty()) return TextRow{line, m_row};
    }
}

// What follows the first line of m_row goes before what is still to be read.
void RowStream::takeBack(std::size_t first_line)
{
    std::string rest = first_line < m_row.size() ? m_row.substr(first_line + 1) : std::string();
    if (m_back_at < m_back.size()) rest += (rest.empty() ? "" : "\n") + m_back.substr(m_back_at);
    m_back = std::move(rest);
    m_back_at = 0;
    m_row.resize(first_line);
}

// Finds where the next element of the array ends by its brackets and quotes alone: what is wrong inside it is
// its reader's to say, and costs this row only.
std::optional<TextRow> RowStream::nextElement()
{
    m_row.clear();
    while (isSpace(m_bytes.peek()) || m_bytes.peek() == ',') {
        m_line += m_bytes.peek() == '\n' ? 1 : 0;
        m_bytes.skip();
    }
    const std::int64_t line = m_line;
    if (m_bytes.peek() == -1 || m_bytes.peek() == ']') return std::nullopt;
    int depth = 0;
    bool in_string = false, escaped = false;
    while (true) {
        const std::string_view piece = m_bytes.piece();
        if (piece.empty()) return TextRow{line, trimmed(m_row), true};
        for (std::size_t i = 0; i < piece.size(); ++i) {
            const char c = piece[i];
            m_line += c == '\n' ? 1 : 0;
            if (in_string) {
                if (escaped)
                    escaped = false;
                else if (c == '\\')
                    escaped = true;
                else
                    in_string = c != '"';
                continue;
            }
            const bool ends_scalar = depth == 0 && (c == ',' || c == ']');
            if (c == '"') in_string = true;
            if (c == '{' || c == '[') ++depth;
            if (c == '}' || (c == ']' && depth > 0)) --depth;
            if (ends_scalar || (depth <= 0 && (c == '}' || c == ']'))) {
                append(piece.substr(0, ends_scalar ? i : i + 1));
                m_bytes.skip(ends_scalar ? i : i + 1);
                return TextRow{line, trimmed(m_row)};
            }
        }
        append(piece);
        m_bytes.skip(piece.size());
    }
}

std::optional<TextRow> RowStream::next()
{
    switch (m_shape) {
    case Shape::Lines:
        return nextLine();
    case Shape::CsvRecords:
        return nextRecord();
    case Shape::JsonArray:
        return nextElement();
    }
    return std::nullopt;
}

} // namespace batchscope::engine
