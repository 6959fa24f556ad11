// SPDX-License-Identifier: GPL-3.0-or-later
// The one way in which a file is opened to be read.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>

namespace batchscope::engine {

struct FileCloser
{
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using ReadableFile = std::unique_ptr<std::FILE, FileCloser>;

// Never waits: a pipe without a writer would keep us, a device may never end. Throws EngineError(InvalidFile)
// naming the file, the system's reason and the remedy where it is absent, closed to us or no regular file.
ReadableFile openRegularFile(const std::filesystem::path& file);

} // namespace batchscope::engine
