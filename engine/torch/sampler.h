// SPDX-License-Identifier: GPL-3.0-or-later
// The next token from a row of logits: greedy, or temperature and top-p. A draw depends on (seed, request,
// position) alone, never on the batch that the row happens to be in.
#pragma once

#include "scheduler/request.h"

#include <cstdint>
#include <span>
#include <string>

namespace batchscope::engine {

inline constexpr double k_greedy_below = 1e-4; // a temperature at or under it divides to nothing useful

// Empty, or what is wrong: temperature must be finite and >= 0, top_p in (0, 1].
std::string samplingProblem(const Sampling& sampling);

// Uniform in [0, 1), 53 bits, a pure function of its arguments (two rounds of SplitMix64's mixing over each).
double uniformDraw(std::uint64_t seed, std::uint64_t request, std::uint64_t position);

// The most likely id, the smallest of equals; ids of `held_back` are never chosen. A row of NaN gives -1.
TokenId greedyToken(std::span<const float> logits, std::span<const TokenId> held_back);

// `draw` in [0, 1) chooses among the most likely tokens whose probabilities first reach top_p together.
// sampling is valid. A row of NaN gives -1.
TokenId sampleToken(std::span<const float> logits, std::span<const TokenId> held_back,
                    const Sampling& sampling, double draw);

} // namespace batchscope::engine
