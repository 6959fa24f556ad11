// SPDX-License-Identifier: GPL-3.0-or-later
// What a file seems to be, told from its first bytes: for messages about a file that is not what its name
// says.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace batchscope::engine {

// `head`: the first bytes (64 are enough). Gives "a Git LFS pointer (the real file was never downloaded)",
// "an HTML page", "a pickle", ..., or "unknown data".
std::string describeContent(std::string_view head);

// "a Git LFS pointer (...), 132 bytes": reads at most 512 bytes; "absent" or "a folder" where there is no
// file.
std::string describeFile(const std::filesystem::path& file);

// "1,234 bytes" below 10 kB, else "12.3 MB" with the exact count in parentheses.
std::string formatBytes(std::uint64_t bytes);

} // namespace batchscope::engine
