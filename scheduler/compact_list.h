// SPDX-License-Identifier: GPL-3.0-or-later
// A list one pointer wide, for what most events have none of: an empty vector would take three in each of
// millions of events. Size and capacity lie in front of the items.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace batchscope {

// A vector's face over plain values. At most 2^32 - 1 of them.
template <typename T>
class CompactList
{
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 8, "items are moved as bytes");

public:
    using value_type = T;
    using iterator = T*;
    using const_iterator = const T*;

    CompactList() = default;
    CompactList(std::initializer_list<T> items) { assign(items.begin(), items.end()); }
    CompactList(const std::vector<T>& items) { assign(items.begin(), items.end()); }
    CompactList(const CompactList& other) { assign(other.begin(), other.end()); }
    CompactList(CompactList&& other) noexcept : m_block(std::exchange(other.m_block, nullptr)) {}
    CompactList& operator=(const CompactList& other)
    {
        if (this != &other) assign(other.begin(), other.end());
        return *this;
    }
    CompactList& operator=(CompactList&& other) noexcept
    {
        std::swap(m_block, other.m_block);
        return *this;
    }
    ~CompactList() { ::operator delete(m_block); }

    std::size_t size() const { return m_block == nullptr ? 0 : m_block->size; }
    bool empty() const { return size() == 0; }
    T* begin() { return items(); }
    T* end() { return items() + size(); }
    const T* begin() const { return items(); }
    const T* end() const { return items() + size(); }
    T& operator[](std::size_t i) { return items()[i]; }
    const T& operator[](std::size_t i) const { return items()[i]; }
    const T& front() const { return *begin(); }
    const T& back() const { return *(end() - 1); }

    void clear() { resize(0); }
    void push_back(const T& item)
    {
        const T kept = item; // it may lie in this list
        const std::size_t count = size();
        if (m_block == nullptr || count == m_block->capacity) grow(std::max<std::size_t>(1, 2 * count));
        items()[count] = kept;
        ++m_block->size;
    }
    void resize(std::size_t count)
    {
        const std::size_t before = size();
        if (m_block == nullptr && count == 0) return;
        if (m_block == nullptr || count > m_block->capacity) grow(count);
        for (std::size_t i = before; i < count; ++i)
            items()[i] = T{};
        m_block->size = static_cast<std::uint32_t>(count);
    }
    // Not from a part of this list.
    template <typename Iterator>
    void assign(Iterator first, Iterator last)
    {
        resize(static_cast<std::size_t>(last - first));
        std::copy(first, last, begin());
    }

    friend bool operator==(const CompactList& a, const CompactList& b)
    {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }

private:
    struct Block // what follows it are the items
    {
        std::uint32_t size;
        std::uint32_t capacity;
    };

    T* items() { return m_block == nullptr ? nullptr : reinterpret_cast<T*>(m_block + 1); }
    const T* items() const { return m_block == nullptr ? nullptr : reinterpret_cast<const T*>(m_block + 1); }
    void grow(std::size_t capacity)
    {
        auto* block = static_cast<Block*>(::operator new(sizeof(Block) + capacity * sizeof(T)));
        *block = {static_cast<std::uint32_t>(size()), static_cast<std::uint32_t>(capacity)};
        if (!empty()) std::memcpy(block + 1, m_block + 1, size() * sizeof(T));
        ::operator delete(std::exchange(m_block, block));
    }

    Block* m_block = nullptr;
};

} // namespace batchscope
