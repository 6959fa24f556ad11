// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checkpoint/atomic_file.h"

#include "engine/error.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/core.h>
#include <fstream>
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
    std::error_code error;
    if (std::filesystem::is_directory(file, error))
        throw EngineError(ErrorKind::InvalidFile,
                          fmt::format("{}: is a folder, a file was expected", file.string()));
    // A pipe without a writer would keep us waiting, a device may never end, and neither tells its size.
    if (std::filesystem::exists(file, error) && !std::filesystem::is_regular_file(file, error))
        throw EngineError(
            ErrorKind::InvalidFile,
            fmt::format("{}: is no regular file (a pipe, a socket or a device); write its content to a file "
                        "first and name that",
                        file.string()));
    std::ifstream in(file, std::ios::binary | std::ios::ate);
    if (!in)
        throw EngineError(ErrorKind::InvalidFile,
                          fmt::format("{}: cannot be read ({}). Check the path and the file's permissions.",
                                      file.string(), std::strerror(errno)));
    std::string content(static_cast<std::size_t>(std::max<std::streamoff>(in.tellg(), 0)), '\0');
    in.seekg(0);
    in.read(content.data(), static_cast<std::streamsize>(content.size()));
    if (in.gcount() != static_cast<std::streamsize>(content.size()))
        throw EngineError(ErrorKind::InvalidFile, fmt::format("{}: only {} of {} bytes could be read",
                                                              file.string(), in.gcount(), content.size()));
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
