// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checkpoint/regular_file.h"

#include "engine/error.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

namespace batchscope::engine {
namespace {

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& what)
{
    throw EngineError(ErrorKind::InvalidFile, fmt::format("{}: {}", file.string(), what));
}

[[noreturn]] void failBySystem(const std::filesystem::path& file, int code)
{
    fail(file,
         fmt::format("cannot be read ({}). Check the path and the file's permissions.", std::strerror(code)));
}

} // namespace

ReadableFile openRegularFile(const std::filesystem::path& file)
{
    const int number = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (number < 0) failBySystem(file, errno);
    ReadableFile opened(fdopen(number, "rb"));
    if (!opened) {
        const int code = errno;
        close(number);
        failBySystem(file, code);
    }
    struct stat facts = {};
    if (fstat(number, &facts) != 0) failBySystem(file, errno);
    if (S_ISDIR(facts.st_mode)) fail(file, "cannot be read: it is a folder, a file was expected");
    if (!S_ISREG(facts.st_mode))
        fail(file, "is no regular file (a pipe, a socket or a device); write its content to a file first and "
                   "name that");
    return opened;
}

} // namespace batchscope::engine
