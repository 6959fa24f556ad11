// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/random.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace batchscope {
namespace {

// SplitMix64's finaliser (Steele, Lea, Flood, OOPSLA 2014): neighbouring seeds give unrelated states.
std::uint64_t mix(std::uint64_t value)
{
    value += 0x9e3779b97f4a7c15ULL;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
    return value ^ (value >> 31);
}

} // namespace

double portableLog(double x)
{
    constexpr double k_ln2 = 0.693147180559945309417232121458;
    constexpr double k_sqrt_half = 0.707106781186547524400844362105;
    int exponent = 0;
    double mantissa = std::frexp(x, &exponent); // [0.5, 1), exact
    if (mantissa < k_sqrt_half) {
        mantissa *= 2.0;
        --exponent;
    }
    // ln m = 2 artanh((m - 1) / (m + 1)); |s| <= 0.172, so s^25 / 25 is below half a unit in the last place.
    const double s = (mantissa - 1.0) / (mantissa + 1.0);
    const double s2 = s * s;
    double sum = 0.0;
    for (int k = 25; k >= 1; k -= 2)
        sum = sum * s2 + 1.0 / k;
    return 2.0 * s * sum + exponent * k_ln2;
}

Random::Random(std::uint64_t seed, RandomStream stream)
    : m_engine(mix(mix(seed) ^ static_cast<std::uint64_t>(stream)))
{}

std::uint64_t Random::below(std::uint64_t bound)
{
    constexpr auto k_max = std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t fair = k_max - (k_max % bound + 1) % bound; // the last draw of the last whole round
    std::uint64_t draw = m_engine();
    while (draw > fair)
        draw = m_engine();
    return draw % bound;
}

std::vector<std::size_t> Random::sample(std::size_t size, std::size_t count)
{
    std::vector<std::size_t> numbers(size);
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    count = std::min(count, size);
    for (std::size_t i = 0; i < count; ++i)
        std::swap(numbers[i], numbers[i + static_cast<std::size_t>(below(size - i))]);
    numbers.resize(count);
    return numbers;
}

} // namespace batchscope
