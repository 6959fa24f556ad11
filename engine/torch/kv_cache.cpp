// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/torch/kv_cache.h"

#include "engine/torch/tensor_types.h"

namespace batchscope::engine {

KvCache::KvCache(const ModelConfig& config, at::ScalarType type, at::Device device, bool zeroed)
    : m_layers(config.layers), m_kv_heads(config.kv_heads), m_head_dim(config.head_dim),
      m_bytes_per_token(config.kvBytesPerToken(fromScalarType(type))), m_type(type), m_device(device),
      m_zeroed(zeroed)
{}

void KvCache::allocate(std::int64_t rows, std::int64_t capacity)
{
    const c10::InferenceMode no_autograd;
    const std::int64_t elements = m_layers * 2 * rows * m_kv_heads * capacity * m_head_dim;
    if (!m_memory.defined() || m_memory.numel() < elements) {
        clear(); // before the new one: both together may not fit
        m_memory = at::empty({elements}, at::TensorOptions().dtype(m_type).device(m_device));
    }
    m_all = m_memory.narrow(0, 0, elements).view({m_layers, 2, rows, m_kv_heads, capacity, m_head_dim});
    if (m_zeroed) m_all.zero_();
    m_rows = rows;
    m_capacity = capacity;
}

void KvCache::clear()
{
    m_all.reset();
    m_memory.reset();
    m_rows = m_capacity = 0;
}

std::int64_t KvCache::allocatedBytes() const
{
    return m_memory.defined() ? m_memory.numel() * static_cast<std::int64_t>(m_memory.element_size()) : 0;
}

HeldKeysValues KvCache::copyOut(std::int64_t row, std::int64_t first_column, std::int64_t tokens) const
{
    const c10::InferenceMode no_autograd;
    return m_all.select(2, row).narrow(3, first_column, tokens).clone(at::MemoryFormat::Contiguous);
}

void KvCache::copyIn(const HeldKeysValues& held, std::int64_t row, std::int64_t first_column)
{
    const c10::InferenceMode no_autograd;
    m_all.select(2, row).narrow(3, first_column, held.size(3)).copy_(held);
}

} // namespace batchscope::engine
