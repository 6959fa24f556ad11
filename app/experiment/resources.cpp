// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/experiment/experiment.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

namespace batchscope::app {
namespace {

namespace fs = std::filesystem;

// The folder that holds resources/ and sessions/examples/: $BATCHSCOPE_RESOURCES, ../share/batchscope beside
// the program (installed), or the source tree it was built from.
fs::path baseDir()
{
    if (const char* named = std::getenv("BATCHSCOPE_RESOURCES"); named && *named) return named;
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    if (!error) {
        const fs::path installed = program.parent_path().parent_path() / "share" / "batchscope";
        if (fs::is_directory(installed / "resources", error)) return installed;
    }
    return BATCHSCOPE_SOURCE_DIR;
}

} // namespace

fs::path resourceDir()
{
    return baseDir() / "resources";
}

fs::path demoModelDir()
{
    return resourceDir() / "models" / "demo";
}

fs::path exampleSession()
{
    const fs::path folder = baseDir() / "sessions" / "examples";
    std::vector<fs::path> files;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error))
        if (entry.path().extension() == ".json") files.push_back(entry.path());
    if (files.empty())
        throw sessions::DocumentError(fmt::format(
            "no example session lies in {}; $BATCHSCOPE_RESOURCES, where set, must name the folder that "
            "holds resources/ and sessions/examples/",
            folder.string()));
    return *std::min_element(files.begin(), files.end());
}

} // namespace batchscope::app
