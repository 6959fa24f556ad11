// SPDX-License-Identifier: GPL-3.0-or-later
// The demo world's seeded generator: mt19937_64 with our own integer draw, so that a seed means the same
// items with every standard library. Not for cryptography.
#pragma once

#include <cstdint>
#include <random>
#include <string_view>

namespace batchscope::engine {

// A 64-bit finaliser (SplitMix64's mixing constants): every input bit moves every output bit.
constexpr std::uint64_t mixBits(std::uint64_t value)
{
    value += 0x9e3779b97f4a7c15ULL;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
    return value ^ (value >> 31);
}

// FNV-1a with a final mix: the hash that splits are made by, equal on every machine.
constexpr std::uint64_t hashText(std::string_view text)
{
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const char c : text) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    }
    return mixBits(hash);
}

class DemoRandom
{
public:
    explicit DemoRandom(std::uint64_t seed) : m_engine(mixBits(seed)) {}

    // A uniform integer in [0, bound); the bias is below 2^-40 for the small bounds used here.
    int below(int bound) { return static_cast<int>((m_engine() >> 11) % static_cast<std::uint64_t>(bound)); }

private:
    std::mt19937_64 m_engine;
};

} // namespace batchscope::engine
