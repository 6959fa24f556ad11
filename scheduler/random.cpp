// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/random.h"

#include "scheduler/portable_log.h"

#include <bit>
#include <cmath>

namespace batchscope {
namespace {

constexpr std::uint64_t k_multiplier = 6364136223846793005ULL; // the generator's published constant

// Spreads neighbouring seeds (1, 2, 3, ...) over the whole state space (SplitMix64's finalizer).
std::uint64_t spread(std::uint64_t value)
{
    value += 0x9E3779B97F4A7C15ULL;
    value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    value = (value ^ (value >> 27U)) * 0x94D049BB133111EBULL;
    return value ^ (value >> 31U);
}

} // namespace

Random::Random(std::uint64_t seed, std::uint64_t stream) : m_increment((spread(stream) << 1U) | 1U)
{
    m_state = spread(seed) + m_increment;
    bits();
}

std::uint32_t Random::bits()
{
    const std::uint64_t old = m_state;
    m_state = old * k_multiplier + m_increment;
    const auto folded = static_cast<std::uint32_t>(((old >> 18U) ^ old) >> 27U);
    return std::rotr(folded, static_cast<int>(old >> 59U));
}

double Random::uniform()
{
    const std::uint64_t high = bits() >> 5U;                                      // 27 bits
    const std::uint64_t low = bits() >> 6U;                                       // 26 bits
    return (static_cast<double>((high << 26U) | low) + 0.5) / 9007199254740992.0; // 2^53; never 0 nor 1
}

std::uint32_t Random::below(std::uint32_t bound)
{
    const std::uint32_t unfair =
        (0U - bound) % bound; // 2^32 mod bound: those draws would favour small numbers
    std::uint32_t drawn = bits();
    while (drawn < unfair)
        drawn = bits();
    return drawn % bound;
}

double Random::exponential(double mean)
{
    return -mean * portableLog(uniform());
}

// Marsaglia's polar method: square root and logarithm alone, both the same bits everywhere.
double Random::normal()
{
    double x = 0.0, square = 0.0;
    do {
        x = 2.0 * uniform() - 1.0;
        const double y = 2.0 * uniform() - 1.0;
        square = x * x + y * y;
    } while (square >= 1.0);
    return x * std::sqrt(-2.0 * portableLog(square) / square);
}

double Random::laplace(double scale)
{
    const bool negative = (bits() & 1U) != 0;
    const double size = exponential(scale);
    return negative ? -size : size;
}

} // namespace batchscope
