// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checkpoint/atomic_file.h"

#include "engine/checkpoint/regular_file.h"
#include "engine/error.h"

#include <cerrno>
#include <cstring>
#include <fmt/core.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace batchscope::engine {
namespace {

[[noreturn]] void failWriting(const std::filesystem::path& file, const std::filesystem::path& temporary,
                              int code)
{
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw EngineError(
        ErrorKind::InvalidFile,
        fmt::format("{}: cannot be written ({}). Check that its folder exists, is writable and has "
                    "room, or choose another place.",
                    file.string(), std::strerror(code)));
}

} // namespace

std::string readWholeFile(const std::filesystem::path& file)
{
    const ReadableFile opened = openRegularFile(file);
    struct stat facts = {};
    if (fstat(fileno(opened.get()), &facts) != 0) facts.st_size = 0;
    std::string content(static_cast<std::size_t>(facts.st_size), '\0');
    const std::size_t read = std::fread(content.data(), 1, content.size(), opened.get());
    if (read != content.size())
        throw EngineError(ErrorKind::InvalidFile, fmt::format("{}: only {} of {} bytes could be read",
                                                              file.string(), read, content.size()));
    return content;
}

void writeWholeFile(const std::filesystem::path& file, std::string_view content)
{
    std::error_code error;
    if (std::filesystem::exists(file, error) && !std::filesystem::is_regular_file(file, error))
        failWriting(file, {}, EEXIST);
    const std::filesystem::path temporary = file.string() + fmt::format(".{}.tmp", getpid());
    {
        std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
        if (!out) failWriting(file, temporary, errno);
        out.write(content.data(), static_cast<std::streamsize>(content.size()));
        out.flush();
        if (!out) failWriting(file, temporary, errno);
    }
    std::filesystem::rename(temporary, file, error);
    if (error) failWriting(file, temporary, error.value());
}

} // namespace batchscope::engine
