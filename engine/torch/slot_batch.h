// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of a continuous batch: they join and leave at any pass, and none recomputes another. All write the
// same column of one cache, so that a pass is one product; a row's first token lies where its length puts it.
// A row is read by itself, whole or in parts, before it joins.
#pragma once

#include "engine/torch/static_batch.h"

#include <cstdint>
#include <span>
#include <vector>

namespace batchscope::engine {

// A prompt on its way into a cache of its own.
class ReadingSequence
{
public:
    ReadingSequence(const Llama& model, std::vector<TokenId> ids);
    // Reads the next `tokens` ids. Whole: the sequence with the logits after its last token.
    void read(std::int64_t tokens);
    bool isWhole() const { return m_read == static_cast<std::int64_t>(m_ids.size()); }
    HeldSequence take(); // isWhole() only
    std::int64_t tokensRead() const { return m_read; }
    std::int64_t allocatedBytes() const { return m_cache.allocatedBytes(); }

private:
    const Llama& m_model;
    KvCache m_cache;
    std::vector<TokenId> m_ids;
    std::int64_t m_read = 0;
    std::vector<float> m_logits;
};

class SlotBatch
{
public:
    explicit SlotBatch(const Llama& model) : m_model(model), m_cache(model.makeCache()) {}

    // A free row for a sequence that is `tokens` long after the coming pass.
    std::int64_t join(std::int64_t tokens);
    // Its keys and values, all but those that the coming pass computes.
    void place(std::int64_t row, const HeldSequence& held);
    void leave(std::int64_t row);
    // One token of each of these rows; returns logits [rows, vocabulary].
    at::Tensor decode(const std::vector<std::int64_t>& rows, std::span<const TokenId> inputs);
    void preparePass(); // there is a column for it
    void passDone() { ++m_column; }
    HeldSequence copyOut(std::int64_t row) const; // without next_logits
    std::int64_t tokensOf(std::int64_t row) const
    {
        return m_column - m_starts[static_cast<std::size_t>(row)];
    }
    void clear();

    std::int64_t allocatedBytes() const { return m_cache.allocatedBytes(); }
    std::int64_t bytesPerToken() const { return m_cache.bytesPerToken(); }

private:
    static constexpr std::int64_t k_free = -1;
    void rebuild(std::int64_t rows, std::int64_t least_column);

    const Llama& m_model;
    KvCache m_cache;
    std::int64_t m_column = 0;          // where the coming pass writes
    std::vector<std::int64_t> m_starts; // per row; k_free: nobody's
};

} // namespace batchscope::engine
