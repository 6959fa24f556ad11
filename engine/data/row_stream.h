// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of a text file one after another: lines, CSV records or the elements of one JSON array. A file of
// any size takes the memory of its longest row.
#pragma once

#include "engine/checkpoint/regular_file.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace batchscope::engine {

// Bytes of a file, read in pieces.
class ByteStream
{
public:
    // Throws EngineError(InvalidFile) naming the file and the reason, here and while reading: what is no
    // regular file and UTF-16 text are refused. A byte order mark of UTF-8 is skipped.
    explicit ByteStream(const std::filesystem::path& file);
    int peek()
    {
        return m_at < m_end || fill() ? static_cast<unsigned char>(m_block[m_at]) : -1;
    }                       // -1: the end
    void skip() { ++m_at; } // after a peek that was not the end
    // What is left of the piece in memory; empty only at the end of the file.
    std::string_view piece();
    void skip(std::size_t bytes) { m_at += bytes; }
    const std::filesystem::path& file() const { return m_file; }

private:
    bool fill();
    std::filesystem::path m_file;
    ReadableFile m_handle;
    std::array<char, 1 << 16> m_block{};
    std::size_t m_at = 0, m_end = 0;
};

struct TextRow
{
    std::int64_t line = 0;  // where it begins, from 1
    std::string_view text;  // until the next row is asked for
    bool broke_off = false; // the file ends inside it
};

struct CsvRecord;
CsvRecord csvRecord(const TextRow& row); // of a table's row; its problem where it broke off

// Rows that hold something, in order.
class RowStream
{
public:
    enum class Shape { Lines, CsvRecords, JsonArray };
    // JSON where the file begins with "[" (an array) or "{" (an object a line), else CSV.
    explicit RowStream(const std::filesystem::path& file);
    Shape shape() const { return m_shape; }
    bool isEmpty() { return m_bytes.peek() == -1; } // before the first row is asked for: there is none
    std::optional<TextRow> next();

private:
    std::string_view piece(); // of what is to be read again, then of the file
    void skip(std::size_t bytes);
    bool readLine(); // its text and line break, appended to m_row; false at the end
    TextRow brokenRecord(std::int64_t line, std::size_t first_line);
    std::optional<TextRow> nextLine();
    std::optional<TextRow> nextRecord();
    std::optional<TextRow> nextElement();
    void append(std::string_view bytes);

    ByteStream m_bytes;
    Shape m_shape = Shape::CsvRecords;
    std::string m_row;
    std::string m_back; // to be read again, from m_back_at on
    std::size_t m_back_at = 0;
    std::int64_t m_line = 1;
};

} // namespace batchscope::engine
