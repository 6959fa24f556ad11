// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/look/theme.h"

#include <QString>

namespace batchscope::widgets {

// The program's style sheet, every colour of it taken from the tokens.
QString styleSheet(const Tokens& tokens);

} // namespace batchscope::widgets
