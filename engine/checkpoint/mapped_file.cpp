// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checkpoint/mapped_file.h"

#include "engine/error.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace batchscope::engine {
namespace {

[[noreturn]] void fail(const std::filesystem::path& file, const char* reason)
{
    throw EngineError(ErrorKind::InvalidFile,
                      fmt::format("{}: cannot be read ({}). Check the path and the file's permissions.",
                                  file.string(), reason));
}

// The mapping stays when the descriptor is closed.
class Descriptor
{
public:
    explicit Descriptor(const std::filesystem::path& file)
        : m_number(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK))
    {}
    ~Descriptor()
    {
        if (m_number >= 0) close(m_number);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int number() const { return m_number; }

private:
    int m_number;
};

} // namespace

MappedFile::MappedFile(const std::filesystem::path& file)
{
    const Descriptor descriptor(file);
    struct stat facts = {};
    if (descriptor.number() < 0 || fstat(descriptor.number(), &facts) != 0) fail(file, std::strerror(errno));
    if (!S_ISREG(facts.st_mode))
        fail(file, S_ISDIR(facts.st_mode) ? "it is a folder" : "it is no regular file");
    if (facts.st_size == 0) return; // nothing to map
    void* memory = mmap(nullptr, static_cast<std::size_t>(facts.st_size), PROT_READ, MAP_PRIVATE,
                        descriptor.number(), 0);
    if (memory == MAP_FAILED) fail(file, std::strerror(errno));
    m_data = static_cast<const char*>(memory);
    m_size = static_cast<std::size_t>(facts.st_size);
}

MappedFile::~MappedFile()
{
    if (m_data) munmap(const_cast<char*>(m_data), m_size);
}

} // namespace batchscope::engine
