// SPDX-License-Identifier: GPL-3.0-or-later
// Whole files, read and written at once: nothing is half written (temporary beside the file, then rename).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace batchscope::engine {

// Throw EngineError(InvalidFile) naming the file and the system's reason.
std::string readWholeFile(const std::filesystem::path& file);
void writeWholeFile(const std::filesystem::path& file, std::string_view content);

} // namespace batchscope::engine
