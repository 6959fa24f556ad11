// SPDX-License-Identifier: GPL-3.0-or-later
// Judges an answer to a demo instruction: right is the whole reference answer word for word, with or without
// the task's closing; only white space at either end is ignored. Throws std::out_of_range on an unknown key.
#pragma once

#include "engine/demo/demo_item.h"

#include <string_view>

namespace batchscope::engine {

bool isRight(const DemoItem& item, std::string_view answer);

} // namespace batchscope::engine
