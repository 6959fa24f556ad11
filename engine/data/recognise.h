// SPDX-License-Identifier: GPL-3.0-or-later
// Which format a file has, told from its header or its first rows. Included by source files only.
#pragma once

#include "engine/data/row_reader.h"

namespace batchscope::engine {

struct Recognised
{
    std::string name, title, why;
    std::vector<std::string> columns; // CSV: the header
    std::unique_ptr<RowReader> reader;
};

// options.format names the format, or it is told from the file. Throws EngineError(InvalidFile) naming the
// file, what it holds and the formats that there are.
Recognised recognise(const std::filesystem::path& file, const ImportOptions& options);

} // namespace batchscope::engine
