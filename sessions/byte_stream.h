// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers to bytes and back, in one byte order on every machine: LEB128 for integers (zigzag where signed),
// the 64 bits of a double least significant byte first. The reader never goes beyond its bytes.
#pragma once

#include "sessions/error.h"

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace batchscope::sessions {

class ByteWriter
{
public:
    void byte(std::uint8_t value) { m_bytes.push_back(static_cast<char>(value)); }
    void varint(std::uint64_t value)
    {
        for (; value >= 0x80U; value >>= 7U)
            byte(static_cast<std::uint8_t>(value | 0x80U));
        byte(static_cast<std::uint8_t>(value));
    }
    void zigzag(std::int64_t value)
    {
        varint((static_cast<std::uint64_t>(value) << 1U) ^ static_cast<std::uint64_t>(value >> 63));
    }
    void fixed32(std::uint32_t value)
    {
        for (unsigned shift = 0; shift < 32; shift += 8)
            byte(static_cast<std::uint8_t>(value >> shift));
    }
    void real(double value)
    {
        const auto bits = std::bit_cast<std::uint64_t>(value);
        for (unsigned shift = 0; shift < 64; shift += 8)
            byte(static_cast<std::uint8_t>(bits >> shift));
    }
    void text(std::string_view value)
    {
        varint(value.size());
        m_bytes.append(value);
    }
    const std::string& bytes() const { return m_bytes; }
    std::string take() { return std::move(m_bytes); }

private:
    std::string m_bytes;
};

// Throws StoreError("<name>: damaged: <what> at byte <n> of <size>; ...").
class ByteReader
{
public:
    ByteReader(std::string_view bytes, std::string name) : m_bytes(bytes), m_name(std::move(name)) {}

    std::uint8_t byte()
    {
        if (m_at >= m_bytes.size()) fail("it ends too early");
        return static_cast<std::uint8_t>(m_bytes[m_at++]);
    }
    std::uint64_t varint()
    {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const std::uint64_t part = byte();
            if (shift == 63 && part > 1) break;
            value |= (part & 0x7FU) << shift;
            if (part < 0x80U) return value;
        }
        fail("a number is too long");
    }
    std::int64_t zigzag()
    {
        const std::uint64_t value = varint();
        return static_cast<std::int64_t>((value >> 1U) ^ (~(value & 1U) + 1U));
    }
    std::uint32_t fixed32()
    {
        std::uint32_t value = 0;
        for (unsigned shift = 0; shift < 32; shift += 8)
            value |= static_cast<std::uint32_t>(byte()) << shift;
        return value;
    }
    double real()
    {
        std::uint64_t bits = 0;
        for (unsigned shift = 0; shift < 64; shift += 8)
            bits |= static_cast<std::uint64_t>(byte()) << shift;
        return std::bit_cast<double>(bits);
    }
    // A count of things that take at least one byte each: never more than there are bytes left.
    std::size_t count()
    {
        const std::uint64_t value = varint();
        if (value > left()) fail("a list is longer than the bytes that follow");
        return static_cast<std::size_t>(value);
    }
    std::string text()
    {
        const std::size_t size = count();
        m_at += size;
        return std::string(m_bytes.substr(m_at - size, size));
    }
    std::size_t left() const { return m_bytes.size() - m_at; }
    std::string_view rest() const { return m_bytes.substr(m_at); }
    [[noreturn]] void fail(const std::string& what) const
    {
        throw StoreError(m_name + ": damaged: " + what + " (byte " + std::to_string(m_at) + " of " +
                         std::to_string(m_bytes.size()) + ")");
    }

private:
    std::string_view m_bytes;
    std::string m_name;
    std::size_t m_at = 0;
};

// CRC-32 (IEEE 802.3): finds damage that still decodes.
std::uint32_t checksum(std::string_view bytes);

} // namespace batchscope::sessions
