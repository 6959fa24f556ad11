// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/identity.h"

#include "widgets/look/themed_icon.h"

#include <QCoreApplication>
#include <QPainter>
#include <QPainterPath>
#include <QPolygonF>
#include <cmath>
#include <numbers>

namespace batchscope::widgets {
namespace {

struct Row
{
    unsigned light, dark; // Okabe-Ito; the yellow and the black are shifted where the page would swallow them
    Marker marker;
};
constexpr std::array<Row, k_identities> k_rows{{{0x0072b2, 0x3a9bdf, Marker::Square},
                                                {0xd55e00, 0xe8743b, Marker::Diamond},
                                                {0x009e73, 0x2fbf93, Marker::TriangleUp},
                                                {0xcc79a7, 0xd58fb6, Marker::Circle},
                                                {0xe69f00, 0xe6a42e, Marker::Cross},
                                                {0x56b4e9, 0x7cc7f2, Marker::TriangleDown},
                                                {0x4a4f55, 0xc9ced4, Marker::Hexagon},
                                                {0xb8aa00, 0xf0e442, Marker::Star}}};

const std::array<QVector<qreal>, k_identities>& dashes()
{
    static const std::array<QVector<qreal>, k_identities> all{
        {{}, {6, 3}, {1.5, 2.5}, {6, 2, 1.5, 2}, {10, 3}, {6, 2, 1.5, 2, 1.5, 2}, {3, 2}, {12, 3, 3, 3}}};
    return all;
}

QPolygonF regular(const QPointF& centre, double radius, int corners, double turn, double inner = 1.0)
{
    QPolygonF polygon;
    const int points = inner < 1.0 ? corners * 2 : corners;
    for (int i = 0; i < points; ++i) {
        const double angle = turn + 2 * std::numbers::pi * i / points;
        const double r = i % 2 == 1 && inner < 1.0 ? radius * inner : radius;
        polygon << centre + QPointF(r * std::cos(angle), r * std::sin(angle));
    }
    return polygon;
}

} // namespace

Identity identity(int order, Theme theme)
{
    const auto index = static_cast<std::size_t>(((order % k_identities) + k_identities) % k_identities);
    const Row& row = k_rows[index];
    return {QColor::fromRgb(theme == Theme::Dark ? row.dark : row.light), row.marker, dashes()[index]};
}

QString markerName(Marker marker)
{
    const auto tr = [](const char* text) { return QCoreApplication::translate("Marker", text); };
    switch (marker) {
    case Marker::Square:
        return tr("square");
    case Marker::Diamond:
        return tr("diamond");
    case Marker::TriangleUp:
        return tr("triangle up");
    case Marker::Circle:
        return tr("circle");
    case Marker::Cross:
        return tr("plus");
    case Marker::TriangleDown:
        return tr("triangle down");
    case Marker::Hexagon:
        return tr("hexagon");
    case Marker::Star:
        return tr("star");
    }
    return {};
}

QPainterPath markerPath(const QRectF& box, Marker marker)
{
    QPainterPath path;
    const QPointF c = box.center();
    const double r = box.width() / 2;
    constexpr double up = -std::numbers::pi / 2;
    switch (marker) {
    case Marker::Square:
        path.addRect(box.adjusted(r * .15, r * .15, -r * .15, -r * .15));
        break;
    case Marker::Diamond:
        path.addPolygon(regular(c, r * 1.1, 4, up));
        break;
    case Marker::TriangleUp:
        path.addPolygon(regular(c + QPointF(0, r * .2), r * 1.1, 3, up));
        break;
    case Marker::Circle:
        path.addEllipse(c, r * .9, r * .9);
        break;
    case Marker::Cross: {
        const double t = r * .34, l = r * .95;
        path.addRect(QRectF(c.x() - l, c.y() - t, 2 * l, 2 * t));
        QPainterPath upright;
        upright.addRect(QRectF(c.x() - t, c.y() - l, 2 * t, 2 * l));
        path = path.united(upright);
        break;
    }
    case Marker::TriangleDown:
        path.addPolygon(regular(c - QPointF(0, r * .2), r * 1.1, 3, -up));
        break;
    case Marker::Hexagon:
        path.addPolygon(regular(c, r, 6, 0));
        break;
    case Marker::Star:
        path.addPolygon(regular(c, r * 1.1, 5, up, .45));
        break;
    }
    path.closeSubpath();
    return path;
}

void paintMarker(QPainter& painter, const QRectF& box, const Identity& id)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(id.color);
    painter.drawPath(markerPath(box, id.marker));
    painter.restore();
}

QIcon markerIcon(int order)
{
    return themedIcon([order](QPainter& painter, const QRectF& box, bool) {
        const double inset = box.width() / 6;
        paintMarker(painter, box.adjusted(inset, inset, -inset, -inset), identity(order));
    });
}

} // namespace batchscope::widgets
