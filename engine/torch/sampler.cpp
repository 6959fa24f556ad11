// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/torch/sampler.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <limits>
#include <vector>

namespace batchscope::engine {
namespace {

std::uint64_t mixed(std::uint64_t x) // SplitMix64's finaliser (Steele, Lea, Flood 2014)
{
    x += 0x9E3779B97F4A7C15ULL;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31);
}

bool isHeldBack(TokenId id, std::span<const TokenId> held_back)
{
    return std::find(held_back.begin(), held_back.end(), id) != held_back.end();
}

struct Candidate
{
    double weight; // exp((logit - largest) / temperature)
    TokenId id;
};

// Heap order: the heaviest on top, of equals the smallest id.
bool lighter(const Candidate& a, const Candidate& b)
{
    return a.weight < b.weight || (a.weight == b.weight && a.id > b.id);
}

// The heaviest candidates that reach `share` of `total` together, in falling order.
std::vector<Candidate> nucleus(std::vector<Candidate> all, double total, double share)
{
    std::vector<Candidate> kept;
    double reached = 0;
    std::make_heap(all.begin(), all.end(), lighter);
    while (!all.empty() && (kept.empty() || reached < share * total)) {
        std::pop_heap(all.begin(), all.end(), lighter);
        reached += all.back().weight;
        kept.push_back(all.back());
        all.pop_back();
    }
    return kept;
}

} // namespace

std::string samplingProblem(const Sampling& sampling)
{
    if (!std::isfinite(sampling.temperature) || sampling.temperature < 0)
        return fmt::format("temperature is {}; give a number of 0 (greedy) or more", sampling.temperature);
    if (!(sampling.top_p > 0 && sampling.top_p <= 1))
        return fmt::format("top_p is {}; give a number above 0 and at most 1", sampling.top_p);
    return {};
}

double uniformDraw(std::uint64_t seed, std::uint64_t request, std::uint64_t position)
{
    const std::uint64_t bits = mixed(mixed(mixed(seed) ^ request) ^ position);
    return static_cast<double>(bits >> 11) * 0x1.0p-53;
}

TokenId greedyToken(std::span<const float> logits, std::span<const TokenId> held_back)
{
    float largest = -std::numeric_limits<float>::infinity();
    TokenId best = -1;
    for (std::size_t i = 0; i < logits.size(); ++i) {
        if (!(logits[i] > largest)) continue;
        const auto id = static_cast<TokenId>(i);
        if (isHeldBack(id, held_back)) continue;
        largest = logits[i];
        best = id;
    }
    return best;
}

TokenId sampleToken(std::span<const float> logits, std::span<const TokenId> held_back,
                    const Sampling& sampling, double draw)
{
    const TokenId best = greedyToken(logits, held_back);
    if (best < 0 || sampling.temperature <= k_greedy_below) return best;
    const double largest = logits[static_cast<std::size_t>(best)];
    std::vector<Candidate> candidates;
    candidates.reserve(logits.size());
    double total = 0;
    for (std::size_t i = 0; i < logits.size(); ++i) {
        const auto id = static_cast<TokenId>(i);
        const double weight = std::exp((static_cast<double>(logits[i]) - largest) / sampling.temperature);
        if (!(weight > 0) || isHeldBack(id, held_back)) continue;
        candidates.push_back({weight, id});
        total += weight;
    }
    if (sampling.top_p < 1) {
        candidates = nucleus(std::move(candidates), total, sampling.top_p);
        total = 0;
        for (const Candidate& candidate : candidates)
            total += candidate.weight;
    }
    double left = draw * total;
    for (const Candidate& candidate : candidates) {
        if (left < candidate.weight) return candidate.id;
        left -= candidate.weight;
    }
    return candidates.back().id; // rounding left a crumb
}

} // namespace batchscope::engine
