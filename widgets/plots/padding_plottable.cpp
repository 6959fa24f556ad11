// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/padding_plottable.h"

#include "widgets/look/theme.h"
#include "widgets/plots/step_kinds.h"

#include <algorithm>

namespace batchscope::widgets {
namespace {

constexpr double k_frame_room =
    3.0; // a batch narrower than this many pixels is drawn without frame and prompt mark

QColor mixed(const MapCell& cell, const Tokens& t)
{
    double red = 0, green = 0, blue = 0, all = 0;
    for (std::size_t kind = 0; kind < k_step_kinds; ++kind) {
        const QColor color = kindColor(static_cast<StepKind>(kind), t);
        red += cell.mix[kind] * color.redF();
        green += cell.mix[kind] * color.greenF();
        blue += cell.mix[kind] * color.blueF();
        all += cell.mix[kind];
    }
    if (all <= 0) return t.panel;
    return QColor::fromRgbF(static_cast<float>(red / all), static_cast<float>(green / all),
                            static_cast<float>(blue / all));
}

} // namespace

PaddingPlottable::PaddingPlottable(QCPAxis* key, QCPAxis* value) : QCPAbstractPlottable(key, value)
{
    setAntialiased(false);
    setSelectable(QCP::stNone);
}

MapGeometry PaddingPlottable::geometry() const
{
    const QCPAxis* key = mKeyAxis.data();
    const QRect rect = key->axisRect()->rect();
    return {QRectF(rect), key->range().lower, key->range().upper, m_map ? lanesOf(*m_map) : 1};
}

QCPRange PaddingPlottable::getKeyRange(bool& found, QCP::SignDomain) const
{
    found = m_map != nullptr;
    return {0, m_map ? static_cast<double>(std::max<std::int64_t>(m_map->steps(), 1)) : 1};
}

QCPRange PaddingPlottable::getValueRange(bool& found, QCP::SignDomain, const QCPRange&) const
{
    found = m_map != nullptr;
    return {0, m_map ? static_cast<double>(lanesOf(*m_map)) : 1};
}

void PaddingPlottable::draw(QCPPainter* painter)
{
    if (!m_map) return;
    const Tokens& t = tokens();
    const MapGeometry g = geometry();
    const double gap = g.laneHeight() >= 6 ? 1.0 : 0.0;
    for (const MapCell& cell : foldPieces(m_map->pieces(), g)) {
        const QRectF lane = g.cell(cell.slot, 0, 0);
        const double top = std::round(lane.top()), bottom = std::round(lane.top() + g.laneHeight()) - gap;
        painter->fillRect(QRectF(cell.left, top, std::max(cell.right - cell.left, 1.0), bottom - top),
                          cell.folded ? mixed(cell, t) : kindColor(cell.kind, t));
    }
    drawPrompts(*painter, g);
    drawFrames(*painter, g);
}

// Steps: of its batch, or of the row alone where rows come and go.
double PaddingPlottable::roomOf(const PromptMark& mark) const
{
    const PaddingPiece* piece = m_map->at(mark.slot, mark.step);
    const bool stands = !m_map->batches().empty() && m_map->batches().back().kind == BatchKind::Continuous;
    const std::int64_t steps = !stands ? batchStepsAt(m_map->batches(), mark.step) : piece ? piece->count : 0;
    return static_cast<double>(steps);
}

void PaddingPlottable::drawPrompts(QCPPainter& painter, const MapGeometry& g) const
{
    const Tokens& t = tokens();
    for (const PromptMark& mark : m_map->prompts()) {
        if (mark.slot >= g.slots) continue;
        const QRectF lane = g.cell(mark.slot, static_cast<double>(mark.step), 1);
        if (lane.left() + 2.0 < g.plot.left() || lane.left() > g.plot.right()) continue;
        // Widened to be seen, but never to more than a tenth of what it is a mark of.
        const double width = std::max(g.stepWidth(), std::min(2.0, roomOf(mark) * g.stepWidth() / 10));
        if (width < 0.5) continue;
        const QRectF box(lane.left(), std::round(lane.top()), width,
                         std::round(lane.bottom()) - std::round(lane.top()) - (g.laneHeight() >= 6 ? 1 : 0));
        painter.fillRect(box, t.prompt);
        const int all = mark.prompt_tokens + mark.left_padding;
        if (mark.left_padding <= 0 || all <= 0) continue;
        // The share of the padded width that held no prompt token, from the top of the cell.
        QRectF hatch = box;
        hatch.setHeight(box.height() * mark.left_padding / all);
        painter.fillRect(hatch, t.panel);
        painter.fillRect(hatch, QBrush(t.prompt, Qt::BDiagPattern));
    }
}

void PaddingPlottable::drawFrames(QCPPainter& painter, const MapGeometry& g) const
{
    painter.setPen(QPen(tokens().panel, 1));
    for (const PaddingBatch& batch : m_map->batches()) {
        const double left = g.xOf(static_cast<double>(batch.first_step));
        if (static_cast<double>(batch.steps) * g.stepWidth() < k_frame_room) continue;
        if (left < g.plot.left() || left > g.plot.right()) continue;
        painter.drawLine(QPointF(std::round(left), g.plot.top()), QPointF(std::round(left), g.plot.bottom()));
    }
}

void HoverPlottable::draw(QCPPainter* painter)
{
    if (!m_hover_map || !m_request) return;
    MapGeometry g = geometry();
    g.slots = lanesOf(*m_hover_map);
    painter->setBrush(Qt::NoBrush);
    for (const PaddingPiece& piece : m_hover_map->pieces()) {
        if (piece.request != *m_request) continue;
        const QRectF box =
            g.cell(piece.slot, static_cast<double>(piece.first), static_cast<double>(piece.count))
                .intersected(g.plot);
        if (box.isEmpty()) continue;
        painter->setPen(QPen(tokens().text, 1));
        painter->drawRect(box.adjusted(0, 0, 0, -1));
    }
}

} // namespace batchscope::widgets
