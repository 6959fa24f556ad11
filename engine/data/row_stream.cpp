// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/data/row_stream.h"

#include "engine/checkpoint/file_kind.h"
#include "engine/data/csv.h"
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

std::string_view withoutLineBreak(std::string_view line)
{
    if (line.ends_with('\n')) line.remove_suffix(1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

// Whether a CSV record's text ends within a quoted field. A quote opens one at a field's beginning only.
class OpenQuote
{
public:
    bool isOpen() const { return m_at == At::Quoted; }
    void read(std::string_view text)
    {
        for (const char c : text)
            m_at = after(c);
    }

private:
    enum class At { FieldStart, Plain, Quoted, QuoteInQuoted };
    At after(char c) const
    {
        if (m_at == At::Quoted) return c == '"' ? At::QuoteInQuoted : At::Quoted;
        if (c == '"' && m_at != At::Plain) return At::Quoted; // a field's first, or the second of a pair
        return c == ',' ? At::FieldStart : At::Plain;
    }
    At m_at = At::FieldStart;
};

} // namespace

ByteStream::ByteStream(const std::filesystem::path& file) : m_file(file), m_handle(openRegularFile(file))
{
    const std::string_view start = piece();
    refuseUtf16(start, file);
    skip(start.size() - withoutByteOrderMark(start).size());
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

RowStream::RowStream(const std::filesystem::path& file) : m_bytes(file)
{
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

std::string_view RowStream::piece()
{
    if (m_back_at < m_back.size()) return std::string_view(m_back).substr(m_back_at);
    return m_bytes.piece();
}

void RowStream::skip(std::size_t bytes)
{
    if (m_back_at < m_back.size())
        m_back_at += bytes;
    else
        m_bytes.skip(bytes);
}

// Tables also come with the line breaks of old Macs, a carriage return alone.
bool RowStream::readLine()
{
    const std::string_view breaks = m_shape == Shape::CsvRecords ? "\r\n" : "\n";
    bool any = false;
    while (true) {
        const std::string_view text = piece();
        if (text.empty()) break;
        any = true;
        const std::size_t end = text.find_first_of(breaks);
        const bool found = end != std::string_view::npos;
        const bool half = found && text[end] == '\r'; // a line feed may belong to it
        append(text.substr(0, found ? end + 1 : text.size()));
        skip(found ? end + 1 : text.size());
        if (half && piece().starts_with('\n')) {
            append("\n");
            skip(1);
        }
        if (found) break;
    }
    m_line += any ? 1 : 0;
    return any;
}

std::optional<TextRow> RowStream::nextLine()
{
    while (true) {
        m_row.clear();
        const std::int64_t line = m_line;
        if (!readLine()) return std::nullopt;
        if (!trimmed(m_row).empty()) return TextRow{line, trimmed(m_row)};
    }
}

// A quoted field may hold line breaks: the record goes on while one is open.
std::optional<TextRow> RowStream::nextRecord()
{
    while (true) {
        m_row.clear();
        const std::int64_t line = m_line;
        if (!readLine()) return std::nullopt;
        const std::size_t first_line = m_row.size();
        OpenQuote quote;
        quote.read(m_row);
        while (quote.isOpen()) {
            const std::size_t seen = m_row.size();
            if (seen - first_line > k_longest_quoted || !readLine()) return brokenRecord(line, first_line);
            quote.read(std::string_view(m_row).substr(seen));
        }
        if (!trimmed(m_row).empty()) return TextRow{line, withoutLineBreak(m_row)};
    }
}

// The first line is the broken row; the lines after it are read again as rows of their own.
TextRow RowStream::brokenRecord(std::int64_t line, std::size_t first_line)
{
    std::string rest = m_row.substr(first_line);
    if (m_back_at < m_back.size()) rest += m_back.substr(m_back_at);
    m_back = std::move(rest);
    m_back_at = 0;
    m_row.resize(first_line);
    m_line = line + 1;
    return {line, withoutLineBreak(m_row), true};
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

CsvRecord csvRecord(const TextRow& row)
{
    return CsvReader(row.text, row.line).next().value_or(CsvRecord{row.line, {}, "is no CSV record"});
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
