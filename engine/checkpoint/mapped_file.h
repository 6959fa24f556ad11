// SPDX-License-Identifier: GPL-3.0-or-later
// A file mapped read-only into memory for as long as the object lives.
#pragma once

#include <filesystem>
#include <string_view>

namespace batchscope::engine {

class MappedFile
{
public:
    // Throws EngineError(InvalidFile) naming the file and the system's reason.
    explicit MappedFile(const std::filesystem::path& file);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    std::string_view content() const { return {m_data, m_size}; }

private:
    const char* m_data = nullptr;
    std::size_t m_size = 0;
};

} // namespace batchscope::engine
