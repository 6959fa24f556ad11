// SPDX-License-Identifier: GPL-3.0-or-later
// Line icons of the rail, tool bar and menus, drawn in the theme's colours.
#pragma once

#include <QColor>
#include <QIcon>
#include <QRectF>

class QPainter;

namespace batchscope::widgets {

enum class Glyph { Compose, Run, Compare, Play, Pause, Step, Stop, More, Plus, Close };

enum class Ink { Text, Muted, OnAccent };

void paintGlyph(QPainter& painter, Glyph glyph, const QRectF& box, const QColor& color);
// Takes its colour from the theme in force whenever it is painted.
QIcon glyphIcon(Glyph glyph, Ink ink);

} // namespace batchscope::widgets
