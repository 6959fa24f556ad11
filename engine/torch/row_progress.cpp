// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/torch/row_progress.h"

#include "engine/torch/sampler.h"

#include <algorithm>

namespace batchscope::engine {

RowProgress::RowProgress(const Admission& admission, std::span<const TokenId> end_ids)
    : m_end_ids(end_ids), m_sampling(admission.sampling), m_request(admission.request->index),
      m_max_new_tokens(admission.max_new_tokens), m_forced_length(admission.forced_length)
{}

void RowProgress::raiseCap(int max_new_tokens)
{
    m_max_new_tokens = max_new_tokens;
    if (m_ended == RowEnd::Cap && m_output_tokens < m_max_new_tokens) m_ended.reset();
}

TokenId RowProgress::choose(std::span<const float> logits) const
{
    const std::span<const TokenId> held_back = m_forced_length ? m_end_ids : std::span<const TokenId>{};
    if (m_sampling.temperature <= k_greedy_below) return greedyToken(logits, held_back);
    const auto position = static_cast<std::uint64_t>(m_output_tokens);
    return sampleToken(logits, held_back, m_sampling, uniformDraw(m_sampling.seed, m_request, position));
}

std::optional<TokenId> RowProgress::advance(std::span<const float> logits)
{
    if (m_ended) return std::nullopt; // burns on
    if (m_forced_length && m_output_tokens >= *m_forced_length) {
        m_ended = RowEnd::Length;
        m_next_input = m_end_ids.front();
        return std::nullopt;
    }
    const TokenId id = choose(logits);
    if (id < 0) { // nothing but NaN: weights or cache are broken
        m_ended = RowEnd::Failed;
        m_next_input = m_end_ids.front();
        return std::nullopt;
    }
    m_next_input = id;
    if (std::find(m_end_ids.begin(), m_end_ids.end(), id) != m_end_ids.end()) {
        m_ended = RowEnd::Eos;
        return std::nullopt;
    }
    if (++m_output_tokens >= m_max_new_tokens) m_ended = RowEnd::Cap;
    return id;
}

} // namespace batchscope::engine
