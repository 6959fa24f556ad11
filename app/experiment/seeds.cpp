// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/experiment/seeds.h"

namespace batchscope::app {

std::uint64_t seedOfRepetition(std::uint64_t seed, int repetition)
{
    return seed + static_cast<std::uint64_t>(repetition); // past the largest number it goes on at 0
}

sessions::SessionDocument documentOfRepetition(const sessions::SessionDocument& document, int repetition)
{
    sessions::SessionDocument seeded = document;
    seeded.workload.seed = seedOfRepetition(document.workload.seed, repetition);
    seeded.workload.sampling.seed = seeded.workload.seed;
    return seeded;
}

Strategy strategyOfRepetition(const Strategy& strategy, int repetition)
{
    constexpr std::int64_t k_seeds = std::int64_t{1} << 32; // as many as the registry allows
    Strategy seeded = strategy;
    const auto seed = seeded.predictor.params.find("seed");
    if (seed != seeded.predictor.params.end())
        if (auto* number = std::get_if<std::int64_t>(&seed->second))
            *number = (*number + repetition) % k_seeds;
    return seeded;
}

} // namespace batchscope::app
