// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of one static batch and their cache: prompts padded on the left to one width, then one token a row
// a pass. Rows enter before the first pass and stay; whoever has ended is computed all the same.
#pragma once

#include "engine/torch/llama.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace batchscope::engine {

// Left padding: the first real column of a prompt of `tokens` ids, padded to `width`.
inline std::int64_t firstColumn(std::int64_t tokens, std::int64_t width)
{
    return width - tokens;
}

// A prompt read (and perhaps continued) outside a batch.
struct HeldSequence
{
    HeldKeysValues keys_values;
    std::int64_t tokens = 0; // in keys_values
    std::vector<float>
        next_logits; // after the last token; what the next pass samples from. Empty: to be decoded
};

class StaticBatch
{
public:
    explicit StaticBatch(const Llama& model) : m_model(model), m_cache(model.makeCache()) {}

    // rows with `width` prompt columns and passes up to `steps`.
    void begin(std::int64_t rows, std::int64_t width, std::int64_t steps);
    void end(); // gives the cache's memory back
    std::int64_t rows() const { return m_cache.rows(); }
    std::int64_t width() const { return m_width; }
    std::int64_t column() const { return m_column; } // where the next pass writes

    // Reads the prompts of these rows, all padded to width(). Returns logits after each, [prompts,
    // vocabulary]. Long ones go in parts, each shown to `see` where given: its residual stream [tokens,
    // hidden], which prompts it holds.
    using SeePart = std::function<void(const at::Tensor& residual, std::size_t first, std::size_t last)>;
    at::Tensor readPrompts(const std::vector<std::int64_t>& rows,
                           const std::vector<std::span<const TokenId>>& prompts, const SeePart& see = {});
    // Puts a held sequence so that its last token lies in `last_column`.
    void place(std::int64_t row, const HeldSequence& held, std::int64_t last_column);
    // One token of each of these rows into column(); returns logits [rows, vocabulary].
    at::Tensor decode(const std::vector<std::int64_t>& rows, std::span<const TokenId> inputs);
    // A pass of all rows is over: the next one writes a column further.
    void passDone() { ++m_column; }
    HeldSequence copyOut(std::int64_t row) const; // without next_logits
    std::int64_t tokensOf(std::int64_t row) const
    {
        return m_column - m_starts[static_cast<std::size_t>(row)];
    }

    std::int64_t allocatedBytes() const { return m_cache.allocatedBytes(); }
    std::int64_t bytesPerToken() const { return m_cache.bytesPerToken(); }

private:
    const Llama& m_model;
    KvCache m_cache;
    std::int64_t m_width = 0;
    std::int64_t m_column = 0;
    std::vector<std::int64_t> m_starts; // per row
};

} // namespace batchscope::engine
