// SPDX-License-Identifier: GPL-3.0-or-later
// What is said beside the output, on the standard error.
#pragma once

#include <string>

namespace batchscope::cli {

// Never throws: a terminal or log that cannot take it (closed, full) must not end a run. From any thread.
void tell(const std::string& text);

// Descriptors 0 to 2 that came closed are occupied, so that no file opened later gets what is said there.
// Writing to a standard output that came closed still fails.
void holdStandardDescriptors();

} // namespace batchscope::cli
