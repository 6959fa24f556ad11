// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/glyph.h"

#include "widgets/look/theme.h"
#include "widgets/look/themed_icon.h"

#include <QPainter>
#include <QPainterPath>
#include <array>

namespace batchscope::widgets {
namespace {

// Every glyph is drawn in a box of 16 x 16.
void strokeGlyph(QPainter& p, Glyph glyph)
{
    switch (glyph) {
    case Glyph::Compose:
        for (const auto& [y, knob] :
             std::array<std::pair<double, double>, 3>{{{3.5, 11}, {8, 4.5}, {12.5, 8}}}) {
            p.drawLine(QPointF(2, y), QPointF(14, y));
            p.drawLine(QPointF(knob, y - 2), QPointF(knob, y + 2));
        }
        break;
    case Glyph::Run:
        p.drawPolygon(QPolygonF({QPointF(4, 2.5), QPointF(13, 8), QPointF(4, 13.5)}));
        break;
    case Glyph::Compare:
        p.drawLine(QPointF(2, 14), QPointF(14, 14));
        p.drawRect(QRectF(3, 8, 2.5, 6));
        p.drawRect(QRectF(7, 3, 2.5, 11));
        p.drawRect(QRectF(11, 6, 2.5, 8));
        break;
    case Glyph::Plus:
        p.drawLine(QPointF(8, 3), QPointF(8, 13));
        p.drawLine(QPointF(3, 8), QPointF(13, 8));
        break;
    case Glyph::Close:
        p.drawLine(QPointF(4, 4), QPointF(12, 12));
        p.drawLine(QPointF(12, 4), QPointF(4, 12));
        break;
    default:
        break;
    }
}

void fillGlyph(QPainter& p, Glyph glyph)
{
    switch (glyph) {
    case Glyph::Play:
        p.drawPolygon(QPolygonF({QPointF(4, 2.5), QPointF(13.5, 8), QPointF(4, 13.5)}));
        break;
    case Glyph::Pause:
        p.drawRect(QRectF(4, 3, 3, 10));
        p.drawRect(QRectF(9.5, 3, 3, 10));
        break;
    case Glyph::Step:
        p.drawPolygon(QPolygonF({QPointF(3, 3), QPointF(10, 8), QPointF(3, 13)}));
        p.drawRect(QRectF(11, 3, 2.2, 10));
        break;
    case Glyph::Stop:
        p.drawRect(QRectF(3.5, 3.5, 9, 9));
        break;
    case Glyph::More:
        for (const double y : {3.5, 8.0, 12.5})
            p.drawEllipse(QPointF(8, y), 1.3, 1.3);
        break;
    default:
        break;
    }
}

} // namespace

void paintGlyph(QPainter& painter, Glyph glyph, const QRectF& box, const QColor& color)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(box.topLeft());
    painter.scale(box.width() / 16.0, box.height() / 16.0);
    painter.setPen(QPen(color, 1.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(Qt::NoBrush);
    strokeGlyph(painter, glyph);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    fillGlyph(painter, glyph);
    painter.restore();
}

QIcon glyphIcon(Glyph glyph, Ink ink)
{
    return themedIcon([glyph, ink](QPainter& painter, const QRectF& box, bool enabled) {
        const Tokens& t = tokens();
        const QColor color = !enabled               ? t.muted
                             : ink == Ink::OnAccent ? t.on_accent
                             : ink == Ink::Text     ? t.text
                                                    : t.muted;
        paintGlyph(painter, glyph, box, color);
    });
}

} // namespace batchscope::widgets
