// SPDX-License-Identifier: GPL-3.0-or-later
// How a run is recognised in every view, export and report: colour + marker + dash, by its place in the
// session.
#pragma once

#include "widgets/look/theme.h"

#include <QIcon>
#include <QRectF>
#include <QVector>
#include <array>

class QPainter;
class QPainterPath;

namespace batchscope::widgets {

enum class Marker { Square, Diamond, TriangleUp, Circle, Cross, TriangleDown, Hexagon, Star };

struct Identity
{
    QColor color;
    Marker marker = Marker::Square;
    QVector<qreal> dash; // in pen widths; empty: solid
};

inline constexpr int k_identities = 8; // more runs begin again at the first

Identity identity(int order, Theme theme = currentTheme());
QString markerName(Marker marker); // "square": for people who hear the page

QPainterPath markerPath(const QRectF& box, Marker marker);
void paintMarker(QPainter& painter, const QRectF& box, const Identity& identity);
QIcon markerIcon(int order);

} // namespace batchscope::widgets
