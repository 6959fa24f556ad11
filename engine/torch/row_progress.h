// SPDX-License-Identifier: GPL-3.0-or-later
// One row's way from its prompt to its end: what it may still generate and why it stops (metrics.md, "step").
#pragma once

#include "scheduler/backend.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace batchscope::engine {

class RowProgress
{
public:
    RowProgress(const Admission& admission, std::span<const TokenId> end_ids);

    // Takes the row one step on from the logits after its last token. Returns the new id, absent where the
    // step went to the end of sequence; ended() tells whether that was its last step.
    std::optional<TokenId> advance(std::span<const float> logits);

    std::optional<RowEnd> ended() const { return m_ended; }
    // A held row that goes on may generate up to this many ids in all.
    void raiseCap(int max_new_tokens);
    int outputTokens() const { return m_output_tokens; }
    // Fed to the next pass: its last id, or an end of sequence where it has ended and burns on.
    TokenId nextInput() const { return m_next_input; }

private:
    TokenId choose(std::span<const float> logits) const;

    std::span<const TokenId> m_end_ids; // the model's; outlive this
    Sampling m_sampling;
    std::uint64_t m_request;
    int m_max_new_tokens;
    std::optional<int> m_forced_length;
    int m_output_tokens = 0;
    TokenId m_next_input = 0;
    std::optional<RowEnd> m_ended;
};

} // namespace batchscope::engine
