// SPDX-License-Identifier: GPL-3.0-or-later
// Where a command may write: told before the work, not after it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace batchscope::cli {

// Throws UsageError where `file` cannot take what `option` writes: its folder is absent or closed to us, it
// is a folder, or it is one of the files the command reads, which would be replaced. An empty `file` writes
// nothing.
void requirePlace(const std::string& option, const std::string& file,
                  const std::vector<std::filesystem::path>& inputs = {});

} // namespace batchscope::cli
