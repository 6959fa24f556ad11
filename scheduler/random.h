// SPDX-License-Identifier: GPL-3.0-or-later
// The project's seeded draws: mt19937_64, whose bits the standard fixes, under distributions of our own,
// whose bits are the same on every machine (no library logarithm, no implementation-defined distribution).
#pragma once

#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

namespace batchscope {

// Each use of one seed has a stream of its own, so that asking for fewer requests does not change their
// arrivals.
enum class RandomStream : std::uint64_t { Choice = 1, Arrivals = 2, PromptIds = 3, PredictorNoise = 4 };

// Natural logarithm of x > 0 by additions, products and one quotient alone: within 1e-15 relative of the
// exact value.
double portableLog(double x);

class Random
{
public:
    Random(std::uint64_t seed, RandomStream stream);

    std::uint64_t bits() { return m_engine(); }
    std::uint64_t below(std::uint64_t bound); // uniform in 0...bound-1, without bias; bound >= 1
    double uniform() { return static_cast<double>(m_engine() >> 11) * 0x1p-53; } // [0, 1)
    double exponential() { return -portableLog(1.0 - uniform()); }               // mean 1

    // `count` different numbers out of 0...size-1 in drawn order (the beginning of a Fisher-Yates shuffle).
    std::vector<std::size_t> sample(std::size_t size, std::size_t count);

private:
    std::mt19937_64 m_engine;
};

} // namespace batchscope
