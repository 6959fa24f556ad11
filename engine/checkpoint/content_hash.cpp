// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checkpoint/content_hash.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/core.h>

namespace batchscope::engine {
namespace {

// Odd constants with well spread bits (from the binary digits of sqrt(2), sqrt(3), sqrt(5), sqrt(7)).
constexpr std::array<std::uint64_t, 4> k_multipliers{0x6A09E667F3BCC909ULL, 0xBB67AE8584CAA73BULL,
                                                     0x3C6EF372FE94F82BULL, 0xA54FF53A5F1D36F1ULL};

std::uint64_t mixed(std::uint64_t state, std::uint64_t word, std::uint64_t multiplier)
{
    return std::rotl((state ^ word) * multiplier, 29);
}

std::uint64_t wordAt(const std::byte* bytes)
{
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof word);
    return word;
}

} // namespace

void ContentHash::addBytes(std::span<const std::byte> bytes)
{
    static_assert(std::endian::native == std::endian::little);
    // Four independent lanes keep the multipliers busy: faster than memory delivers.
    std::array<std::uint64_t, 4> lanes{m_state, ~m_state, std::rotl(m_state, 17), std::rotl(m_state, 41)};
    std::size_t at = 0;
    for (; at + 32 <= bytes.size(); at += 32)
        for (std::size_t lane = 0; lane < 4; ++lane)
            lanes[lane] = mixed(lanes[lane], wordAt(bytes.data() + at + 8 * lane), k_multipliers[lane]);
    for (std::size_t lane = 0; at < bytes.size(); at += 8, ++lane) {
        std::array<std::byte, 8> rest{};
        std::memcpy(rest.data(), bytes.data() + at, std::min<std::size_t>(8, bytes.size() - at));
        lanes[lane] = mixed(lanes[lane], wordAt(rest.data()), k_multipliers[lane]);
    }
    m_state = mixed(m_state, bytes.size(), k_multipliers[0]);
    for (std::size_t lane = 0; lane < 4; ++lane)
        m_state = mixed(m_state, lanes[lane] ^ (lanes[lane] >> 32), k_multipliers[lane]);
}

void ContentHash::addText(std::string_view text)
{
    addBytes(std::as_bytes(std::span(text.data(), text.size())));
}

void ContentHash::addNumber(std::uint64_t number)
{
    addBytes(std::as_bytes(std::span(&number, 1)));
}

void ContentHash::addReal(double number)
{
    addNumber(std::bit_cast<std::uint64_t>(number));
}

std::string ContentHash::hex() const
{
    std::uint64_t value = m_state;
    for (const std::uint64_t multiplier : {k_multipliers[1], k_multipliers[2]}) {
        value ^= value >> 32;
        value *= multiplier;
    }
    return fmt::format("{:016x}", value ^ (value >> 32));
}

} // namespace batchscope::engine
