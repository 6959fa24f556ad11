// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/output_place.h"

#include "app/cli/exit_code.h"

#include <fmt/format.h>
#include <unistd.h>

namespace batchscope::cli {
namespace {

namespace fs = std::filesystem;

// By name where one of them is not there yet, else by what the names lead to (links, "..", hard links).
bool sameFile(const fs::path& a, const fs::path& b)
{
    if (a.empty() || b.empty()) return false;
    std::error_code error;
    if (fs::exists(a, error) && !fs::is_regular_file(a, error)) return false; // a device: nothing is replaced
    if (fs::equivalent(a, b, error)) return true;
    return fs::weakly_canonical(a, error) == fs::weakly_canonical(b, error) && !error;
}

} // namespace

void requirePlace(const std::string& option, const std::string& file, const std::vector<fs::path>& inputs)
{
    if (file.empty()) return;
    std::error_code error;
    const fs::path folder = fs::absolute(file).parent_path();
    if (!fs::is_directory(folder, error))
        throw UsageError(fmt::format("{} {}: the folder {} does not exist; make it or name another", option,
                                     file, folder.string()));
    if (fs::is_directory(file, error))
        throw UsageError(fmt::format("{} {} is a folder; name a file in it", option, file));
    for (const auto& input : inputs)
        if (sameFile(file, input))
            throw UsageError(fmt::format(
                "{} {} would replace {}, which this command reads or writes too; name another file", option,
                file, input.string()));
    const bool replaced = !fs::exists(file, error) || fs::is_regular_file(file, error);
    if (replaced && ::access(folder.c_str(), W_OK) != 0)
        throw UsageError(
            fmt::format("{} {}: nothing can be written in the folder {}; name another, or make it "
                        "writable",
                        option, file, folder.string()));
}

} // namespace batchscope::cli
