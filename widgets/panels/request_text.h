// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "scheduler/request.h"

#include <QString>
#include <functional>
#include <vector>

namespace batchscope::widgets {

// Text of token ids with the tokenizer the program has open; empty where there is none.
using Decoder = std::function<QString(const std::vector<TokenId>&)>;

} // namespace batchscope::widgets
