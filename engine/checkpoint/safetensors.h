// SPDX-License-Identifier: GPL-3.0-or-later
// A safetensors file, memory-mapped: nothing is copied, pages are read when a tensor's bytes are touched.
// Format: 8 bytes little-endian header length N, N bytes of JSON, then the tensors' bytes without gap or
// overlap (https://huggingface.co/docs/safetensors).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace batchscope::engine {

struct TensorInfo
{
    std::string name;
    std::string dtype;               // as in the file: "F32", "BF16", "F16", "I64", ...
    std::vector<std::int64_t> shape; // empty: one element (rank 0)
    std::int64_t elements = 0;
    std::uint64_t begin = 0; // bytes, from the start of the tensor data
    std::uint64_t end = 0;

    std::uint64_t bytes() const { return end - begin; }
    bool operator==(const TensorInfo&) const = default;
};

// Bytes of one element of a safetensors dtype; 0 where the name is unknown.
int safetensorsElementBytes(std::string_view dtype);
std::string shapeText(const std::vector<std::int64_t>& shape); // "[512, 64]"

class SafetensorsFile
{
public:
    // Strict: header length, JSON, dtypes, shapes against byte counts, overlap, gaps and the file's length
    // are checked before anything is read. Throws EngineError(InvalidFile) naming file and tensor, the value
    // found and expected; a file of another kind is told by what it seems to be and its real size.
    explicit SafetensorsFile(const std::filesystem::path& file);
    ~SafetensorsFile();
    SafetensorsFile(SafetensorsFile&&) noexcept;
    SafetensorsFile& operator=(SafetensorsFile&&) noexcept;

    const std::filesystem::path& file() const;
    std::uint64_t fileBytes() const;
    const std::vector<TensorInfo>& tensors() const; // in the order of their bytes
    const TensorInfo* find(std::string_view name) const;
    const std::map<std::string, std::string>& metadata() const;
    // Mapped bytes, valid as long as this object (or one it was moved to). Not aligned for the element type.
    std::span<const std::byte> bytes(const TensorInfo& tensor) const;

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace batchscope::engine
