// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/torch/slot_batch.h"

#include <algorithm>
#include <optional>

namespace batchscope::engine {
namespace {

constexpr std::int64_t k_columns_ahead = 128; // passes between two rebuilds at least

std::vector<float> firstRow(const at::Tensor& logits)
{
    const float* data = logits.data_ptr<float>();
    return {data, data + logits.size(1)};
}

} // namespace

ReadingSequence::ReadingSequence(const Llama& model, std::vector<TokenId> ids)
    : m_model(model), m_cache(model.makeCache()), m_ids(std::move(ids))
{
    m_cache.allocate(1, static_cast<std::int64_t>(m_ids.size()));
}

void ReadingSequence::read(std::int64_t tokens)
{
    const c10::InferenceMode no_autograd;
    const auto first = m_ids.begin() + static_cast<std::ptrdiff_t>(m_read);
    const at::Tensor residual =
        m_model.forward(std::span<const TokenId>(first, static_cast<std::size_t>(tokens)), m_cache,
                        Sequences{{0}, {0}, m_read, tokens});
    m_read += tokens;
    if (isWhole()) m_logits = firstRow(m_model.logits(Llama::lastTokens(residual, tokens)));
}

HeldSequence ReadingSequence::take()
{
    return {m_cache.copyOut(0, 0, m_read), m_read, std::move(m_logits)};
}

// Everybody moves to the left, as far as the longest allows.
void SlotBatch::rebuild(std::int64_t rows, std::int64_t least_column)
{
    std::vector<std::optional<HeldSequence>> kept(m_starts.size());
    std::int64_t column = least_column;
    for (std::size_t row = 0; row < m_starts.size(); ++row) {
        if (m_starts[row] == k_free) continue;
        kept[row] = copyOut(static_cast<std::int64_t>(row));
        column = std::max(column, kept[row]->tokens);
    }
    m_cache.allocate(rows, column + 1 + k_columns_ahead);
    for (std::size_t row = 0; row < m_starts.size(); ++row) {
        if (m_starts[row] == k_free) continue;
        m_starts[row] = column - kept[row]->tokens;
        m_cache.copyIn(kept[row]->keys_values, static_cast<std::int64_t>(row), m_starts[row]);
    }
    m_column = column;
    m_starts.resize(static_cast<std::size_t>(rows), k_free);
}

void SlotBatch::preparePass()
{
    if (!m_starts.empty() && m_column >= m_cache.capacity()) rebuild(m_cache.rows(), 0);
}

std::int64_t SlotBatch::join(std::int64_t tokens)
{
    auto row = std::find(m_starts.begin(), m_starts.end(), k_free);
    const bool is_full = row == m_starts.end();
    if (is_full || m_column + 1 < tokens || m_column >= m_cache.capacity()) {
        const std::size_t place = static_cast<std::size_t>(row - m_starts.begin());
        rebuild(std::max<std::int64_t>(m_cache.rows(), static_cast<std::int64_t>(place) + 1), tokens - 1);
        row = m_starts.begin() + static_cast<std::ptrdiff_t>(place);
    }
    *row = m_column + 1 - tokens;
    return row - m_starts.begin();
}

void SlotBatch::place(std::int64_t row, const HeldSequence& held)
{
    m_cache.copyIn(held.keys_values, row, m_starts[static_cast<std::size_t>(row)]);
}

void SlotBatch::leave(std::int64_t row)
{
    m_starts[static_cast<std::size_t>(row)] = k_free;
}

at::Tensor SlotBatch::decode(const std::vector<std::int64_t>& rows, std::span<const TokenId> inputs)
{
    Sequences sequences{rows, {}, m_column, 1};
    for (const std::int64_t row : rows)
        sequences.starts.push_back(m_starts[static_cast<std::size_t>(row)]);
    return m_model.logits(m_model.forward(inputs, m_cache, sequences));
}

HeldSequence SlotBatch::copyOut(std::int64_t row) const
{
    const std::int64_t tokens = tokensOf(row);
    return {m_cache.copyOut(row, m_starts[static_cast<std::size_t>(row)], tokens), tokens, {}};
}

void SlotBatch::clear()
{
    m_cache.clear();
    m_starts.clear();
    m_column = 0;
}

} // namespace batchscope::engine
