// SPDX-License-Identifier: GPL-3.0-or-later
// Colour and words of a kind of slot-step, the same in every view.
#pragma once

#include "scheduler/folds/padding_map.h"
#include "widgets/look/theme.h"

#include <QString>

namespace batchscope::widgets {

QColor kindColor(StepKind kind, const Tokens& tokens);
QString kindTitle(StepKind kind); // "padding after the end"
QString kindHelp(StepKind kind);  // one sentence

} // namespace batchscope::widgets
