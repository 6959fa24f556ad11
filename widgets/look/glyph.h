// SPDX-License-Identifier: GPL-3.0-or-later
// Line icons of the rail, tool bar and menus, drawn in the theme's colours.
#pragma once

#include <QColor>
#include <QIcon>

namespace batchscope::widgets {

enum class Glyph { Compose, Run, Compare, Play, Pause, Step, Stop, More, Plus, Close };

QIcon glyphIcon(Glyph glyph, const QColor& color, int size = 16);

} // namespace batchscope::widgets
