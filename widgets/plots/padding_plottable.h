// SPDX-License-Identifier: GPL-3.0-or-later
// The padding map inside QCustomPlot: one plottable that draws every piece of the fold, and one on a buffered
// layer of its own that outlines the request under the cursor. Only plots/ may include this.
#pragma once

#include "widgets/plots/map_geometry.h"

#include "widgets/plots/custom_plot.h"

namespace batchscope::widgets {

class PaddingPlottable : public QCPAbstractPlottable
{
public:
    PaddingPlottable(QCPAxis* key, QCPAxis* value);
    void setMap(const PaddingMap* map) { m_map = map; }
    MapGeometry geometry() const;

    double selectTest(const QPointF&, bool, QVariant* = nullptr) const override { return -1; }
    QCPRange getKeyRange(bool& found, QCP::SignDomain = QCP::sdBoth) const override;
    QCPRange getValueRange(bool& found, QCP::SignDomain = QCP::sdBoth,
                           const QCPRange& = QCPRange()) const override;

protected:
    void draw(QCPPainter* painter) override;
    void drawLegendIcon(QCPPainter*, const QRectF&) const override {}

private:
    double roomOf(const PromptMark& mark) const;
    void drawPrompts(QCPPainter& painter, const MapGeometry& geometry) const;
    void drawFrames(QCPPainter& painter, const MapGeometry& geometry) const;
    const PaddingMap* m_map = nullptr;
};

class HoverPlottable : public PaddingPlottable
{
public:
    using PaddingPlottable::PaddingPlottable;
    void setHover(const PaddingMap* map, std::optional<RequestIndex> request)
    {
        m_hover_map = map;
        m_request = request;
    }

protected:
    void draw(QCPPainter* painter) override;

private:
    const PaddingMap* m_hover_map = nullptr;
    std::optional<RequestIndex> m_request;
};

} // namespace batchscope::widgets
