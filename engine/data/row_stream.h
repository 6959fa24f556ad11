// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of a text file one after another: lines, CSV records or the elements of one JSON array. A file of
// any size takes the memory of its longest row.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace batchscope::engine {

// Bytes of a file, read in pieces.
class ByteStream
{
public:
    // Throws EngineError(InvalidFile) naming the file and the system's reason, here and while reading.
    explicit ByteStream(const std::filesystem::path& file);
    int peek()
    {
        return m_at < m_end || fill() ? static_cast<unsigned char>(m_block[m_at]) : -1;
    }                       // -1: the end
    void skip() { ++m_at; } // after a peek that was not the end
    // What is left of the piece in memory; empty only at the end of the file.
    std::string_view piece();
    void skip(std::size_t bytes) { m_at += bytes; }
    void skipByteOrderMark();
    const std::filesystem::path& file() const { return m_file; }

private:
    bool fill();
    struct Closer
    {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    std::filesystem::path m_file;
    std::unique_ptr<std::FILE, Closer> m_handle;
    std::array<char, 1 << 16> m_block{};
    std::size_t m_at = 0, m_end = 0;
};

struct TextRow
{
    std::int64_t line = 0;  // where it begins, from 1
    std::string_view text;  // until the next row is asked for
    bool broke_off = false; // the file ends inside it
};

// Rows that hold something, in order.
class RowStream
{
public:
    enum class Shape { Lines, CsvRecords, JsonArray };
    // JSON where the file begins with "[" (an array) or "{" (an object a line), else CSV.
    explicit RowStream(const std::filesystem::path& file);
    Shape shape() const { return m_shape; }
    std::optional<TextRow> next();

private:
    bool readLine(); // into m_row, without its line break; false at the end
    void takeBack(std::size_t first_line);
    std::optional<TextRow> nextLine();
    std::optional<TextRow> nextRecord();
    std::optional<TextRow> nextElement();
    void append(std::string_view bytes);

    ByteStream m_bytes;
    Shape m_shape = Shape::CsvRecords;
    std::string m_row;
    std::string m_back; // lines to be read again, from m_back_at on
    std::size_t m_back_at = 0;
    std::int64_t m_line = 1;
};

} // namespace batchscope::engine
