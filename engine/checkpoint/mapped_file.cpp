// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checkpoint/mapped_file.h"

#include "engine/checkpoint/regular_file.h"
#include "engine/error.h"

#include <cerrno>
#include <cstring>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>

namespace batchscope::engine {

// The mapping stays when the file is closed.
MappedFile::MappedFile(const std::filesystem::path& file)
{
    const ReadableFile opened = openRegularFile(file);
    const int number = fileno(opened.get());
    struct stat facts = {};
    void* memory = nullptr;
    if (fstat(number, &facts) == 0) {
        if (facts.st_size == 0) return; // nothing to map
        memory = mmap(nullptr, static_cast<std::size_t>(facts.st_size), PROT_READ, MAP_PRIVATE, number, 0);
    }
    if (!memory || memory == MAP_FAILED)
        throw EngineError(ErrorKind::InvalidFile, fmt::format("{}: cannot be mapped into memory ({})",
                                                              file.string(), std::strerror(errno)));
    m_data = static_cast<const char*>(memory);
    m_size = static_cast<std::size_t>(facts.st_size);
}

MappedFile::~MappedFile()
{
    if (m_data) munmap(const_cast<char*>(m_data), m_size);
}

} // namespace batchscope::engine
