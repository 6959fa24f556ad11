// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/torch/weight_memory.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <sys/mman.h>

namespace batchscope::engine {
namespace {

constexpr std::size_t k_huge_page = std::size_t{2} << 20;
constexpr std::size_t k_chunk = std::size_t{16} << 20;

std::size_t roundUp(std::size_t value, std::size_t unit)
{
    return (value + unit - 1) / unit * unit;
}

} // namespace

WeightMemory::~WeightMemory()
{
    for (void* chunk : m_chunks)
        std::free(chunk);
}

void* WeightMemory::allocate(std::size_t bytes)
{
    bytes = roundUp(bytes, 64);
    if (bytes > m_left) {
        const std::size_t size = roundUp(std::max(bytes, k_chunk), k_huge_page);
        m_chunks.reserve(m_chunks.size() + 1);
        void* chunk = std::aligned_alloc(k_huge_page, size);
        if (chunk == nullptr) throw std::bad_alloc();
        m_chunks.push_back(chunk);
        ::madvise(chunk, size, MADV_HUGEPAGE); // advice: refused where the kernel has none
        m_next = static_cast<std::byte*>(chunk);
        m_left = size;
    }
    void* place = m_next;
    m_next += bytes;
    m_left -= bytes;
    m_used_bytes += static_cast<std::int64_t>(bytes);
    return place;
}

} // namespace batchscope::engine
