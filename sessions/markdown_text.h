// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace batchscope::sessions {

// Text inside a table's cell or a sentence of Markdown: nothing in it may end the cell or become mark-up.
std::string escaped(const std::string& text);

} // namespace batchscope::sessions
