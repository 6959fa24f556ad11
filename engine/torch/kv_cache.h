// SPDX-License-Identifier: GPL-3.0-or-later
// Keys and values of one static batch, allocated once for its rows and all its steps:
// [layers, 2, rows, kv_heads, capacity, head_dim]. Prompts end at the same column, padding lies left of them.
#pragma once

#include "engine/checkpoint/model_config.h"
#include "engine/torch/compat.h"

#include <cstdint>
#include <vector>

namespace batchscope::engine {

// Which tokens a pass computes and where their keys and values lie.
struct Sequences
{
    std::vector<std::int64_t> rows;   // cache row of each sequence
    std::vector<std::int64_t> starts; // its first real column; those before are padding
    std::int64_t column = 0;          // cache column of the pass's first token
    std::int64_t width = 1;           // tokens of a sequence in this pass, padding included

    std::int64_t count() const { return static_cast<std::int64_t>(rows.size()); }
    // Position of the token in `column + offset`: 0 at the first real one, -1 in the padding.
    std::int64_t position(std::size_t sequence, std::int64_t offset) const
    {
        const std::int64_t position = column + offset - starts[sequence];
        return position < 0 ? -1 : position;
    }
};

// A sequence's keys and values outside a batch: [layers, 2, kv_heads, tokens, head_dim].
using HeldKeysValues = at::Tensor;

class KvCache
{
public:
    // zeroed: masked attention multiplies what lies in the padding with 0, so it must be finite.
    KvCache(const ModelConfig& config, at::ScalarType type, at::Device device, bool zeroed);

    // Makes room for a batch; memory of an earlier one is used again where it suffices. Contents are
    // undefined unless zeroed.
    void allocate(std::int64_t rows, std::int64_t capacity);
    void clear(); // gives the memory back

    std::int64_t rows() const { return m_rows; }
    std::int64_t capacity() const { return m_capacity; }
    std::int64_t allocatedBytes() const;
    std::int64_t bytesPerToken() const { return m_bytes_per_token; }
    at::ScalarType type() const { return m_type; }

    // Views: all rows' keys (which = 0) or values (1) of a layer, [rows, kv_heads, capacity, head_dim].
    at::Tensor layer(std::int64_t layer, std::int64_t which) const { return m_all[layer][which]; }
    void* data() const { return m_all.data_ptr(); }
    // Elements from data() to a row's head: keys or values of `capacity * head_dim` elements.
    std::int64_t offset(std::int64_t layer, std::int64_t which, std::int64_t row, std::int64_t kv_head) const
    {
        return ((((layer * 2 + which) * m_rows + row) * m_kv_heads + kv_head) * m_capacity) * m_head_dim;
    }

    HeldKeysValues copyOut(std::int64_t row, std::int64_t first_column, std::int64_t tokens) const;
    void copyIn(const HeldKeysValues& held, std::int64_t row, std::int64_t first_column);

private:
    std::int64_t m_layers, m_kv_heads, m_head_dim;
    std::int64_t m_bytes_per_token;
    at::ScalarType m_type;
    at::Device m_device;
    bool m_zeroed;
    at::Tensor m_memory; // flat, kept from batch to batch
    at::Tensor m_all;    // the batch's view of it
    std::int64_t m_rows = 0;
    std::int64_t m_capacity = 0;
};

} // namespace batchscope::engine
