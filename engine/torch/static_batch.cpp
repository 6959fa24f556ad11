// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/torch/static_batch.h"

#include <algorithm>

namespace batchscope::engine {
namespace {

constexpr std::int64_t k_part_tokens = 4096; // of a prompt pass: bounds the memory between the products

} // namespace

void StaticBatch::begin(std::int64_t rows, std::int64_t width, std::int64_t steps)
{
    m_cache.allocate(rows, width + std::max<std::int64_t>(steps - 1, 0));
    m_width = width;
    m_column = width - 1; // the first pass ends there
    m_starts.assign(static_cast<std::size_t>(rows), width);
}

void StaticBatch::end()
{
    m_cache.clear();
    m_starts.clear();
    m_width = m_column = 0;
}

at::Tensor StaticBatch::readPrompts(const std::vector<std::int64_t>& rows,
                                    const std::vector<std::span<const TokenId>>& prompts, const SeePart& see)
{
    const c10::InferenceMode no_autograd;
    const auto part = static_cast<std::size_t>(std::max<std::int64_t>(1, k_part_tokens / m_width));
    std::vector<at::Tensor> last_tokens;
    for (std::size_t first = 0; first < rows.size(); first += part) {
        const std::size_t last = std::min(first + part, rows.size());
        Sequences sequences{{}, {}, 0, m_width};
        std::vector<TokenId> ids((last - first) * static_cast<std::size_t>(m_width), m_model.config().bos);
        for (std::size_t i = first; i < last; ++i) {
            const std::int64_t start = firstColumn(static_cast<std::int64_t>(prompts[i].size()), m_width);
            m_starts[static_cast<std::size_t>(rows[i])] = start;
            sequences.rows.push_back(rows[i]);
            sequences.starts.push_back(start);
            std::copy(prompts[i].begin(), prompts[i].end(),
                      ids.begin() + static_cast<std::ptrdiff_t>(i - first) * m_width + start);
        }
        const at::Tensor residual = m_model.forward(ids, m_cache, sequences);
        if (see) see(residual, first, last);
        last_tokens.push_back(Llama::lastTokens(residual, m_width));
    }
    return m_model.logits(last_tokens.size() == 1 ? last_tokens.front() : at::cat(last_tokens, 0));
}

void StaticBatch::place(std::int64_t row, const HeldSequence& held, std::int64_t last_column)
{
    const std::int64_t start = last_column + 1 - held.tokens;
    m_starts[static_cast<std::size_t>(row)] = start;
    m_cache.copyIn(held.keys_values, row, start);
}

at::Tensor StaticBatch::decode(const std::vector<std::int64_t>& rows, std::span<const TokenId> inputs)
{
    Sequences sequences{rows, {}, m_column, 1};
    for (const std::int64_t row : rows)
        sequences.starts.push_back(m_starts[static_cast<std::size_t>(row)]);
    return m_model.logits(m_model.forward(inputs, m_cache, sequences));
}

HeldSequence StaticBatch::copyOut(std::int64_t row) const
{
    const std::int64_t tokens = tokensOf(row);
    return {m_cache.copyOut(row, m_starts[static_cast<std::size_t>(row)], tokens), tokens, {}};
}

} // namespace batchscope::engine
