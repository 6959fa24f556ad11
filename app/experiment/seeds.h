// SPDX-License-Identifier: GPL-3.0-or-later
// What changes from one repetition of a simulated run to the next: repetition k (from 0) draws its workload
// with the session's seed + k and a predictor's errors with its own seed + k. Every strategy has the same
// workload in the same repetition, so that differences can be taken pair by pair.
#pragma once

#include "sessions/session_document.h"

namespace batchscope::app {

std::uint64_t seedOfRepetition(std::uint64_t seed, int repetition);
sessions::SessionDocument documentOfRepetition(const sessions::SessionDocument& document, int repetition);
Strategy strategyOfRepetition(const Strategy& strategy, int repetition);

} // namespace batchscope::app
