// SPDX-License-Identifier: GPL-3.0-or-later
// The scheduler's own random generator (PCG, 32 bits out of 64 of state; O'Neill 2014) with distributions of
// ours: the standard library's differ between implementations, and one seed must give one workload everywhere
// (scheduling.md).
#pragma once

#include <cstdint>

namespace batchscope {

class Random
{
public:
    // Streams of one seed are independent: give each request its own, so that the order of draws does not
    // matter.
    explicit Random(std::uint64_t seed, std::uint64_t stream = 0);

    std::uint32_t bits();                     // 32 uniform bits
    double uniform();                         // in (0, 1), 53 bits
    std::uint32_t below(std::uint32_t bound); // 0 ... bound - 1 without bias; bound >= 1
    double exponential(double mean);
    double normal();              // mean 0, standard deviation 1
    double laplace(double scale); // mean 0, mean absolute value = scale

private:
    std::uint64_t m_state = 0;
    std::uint64_t m_increment = 1;
};

} // namespace batchscope
