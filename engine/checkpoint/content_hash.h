// SPDX-License-Identifier: GPL-3.0-or-later
// A fast 64-bit hash of contents, for telling models apart; not for security.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace batchscope::engine {

// The same value for the same calls on any little-endian machine;
// each call adds its length too, so that "ab","c" differs from "a","bc".
class ContentHash
{
public:
    void addBytes(std::span<const std::byte> bytes);
    void addText(std::string_view text);
    void addNumber(std::uint64_t number);
    void addReal(double number);
    std::string hex() const; // 16 hexadecimal digits

private:
    std::uint64_t m_state = 0x9E3779B97F4A7C15ULL;
};

} // namespace batchscope::engine
