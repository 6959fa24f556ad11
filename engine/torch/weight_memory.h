// SPDX-License-Identifier: GPL-3.0-or-later
// Memory for weights that every step reads: large chunks in huge pages, which this kind of machine reads
// twice as fast as 4 KB pages (platform.md, trap 3). Freed as a whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace batchscope::engine {

class WeightMemory
{
public:
    WeightMemory() = default;
    ~WeightMemory();
    WeightMemory(const WeightMemory&) = delete;
    WeightMemory& operator=(const WeightMemory&) = delete;

    // 64-byte aligned, not initialised. Throws std::bad_alloc.
    void* allocate(std::size_t bytes);
    std::int64_t usedBytes() const { return m_used_bytes; }

private:
    std::vector<void*> m_chunks;
    std::byte* m_next = nullptr;
    std::size_t m_left = 0;
    std::int64_t m_used_bytes = 0;
};

} // namespace batchscope::engine
