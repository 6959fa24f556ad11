// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/cdf_view.h"

#include "widgets/look/identity.h"
#include "widgets/look/theme.h"
#include "widgets/plots/plot_theme.h"

#include "widgets/plots/custom_plot.h"
#include <QPainterPath>
#include <QVBoxLayout>

namespace batchscope::widgets {

CdfView::CdfView(QWidget* parent) : QWidget(parent), m_plot(new QCustomPlot(this))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_plot);
    setAccessibleName(tr("Completion times"));
    m_plot->setAccessibleName(tr("Completion times"));
    m_plot->setMinimumSize(140, 100);
    plainAxes(*m_plot->axisRect());
    m_plot->axisRect()->setMinimumMargins(QMargins(44, 8, 16, 34));
    m_plot->xAxis->setLabel(tr("JCT, s"));
    m_plot->yAxis->setRange(0, 102);
    m_plot->yAxis->setLabel(tr("% done"));
    QSharedPointer<QCPAxisTickerFixed> ticker(new QCPAxisTickerFixed);
    ticker->setTickStep(25);
    m_plot->yAxis->setTicker(ticker);
    limitTicks(*m_plot->xAxis, 4);
    applyPlotTheme(*m_plot);
}

void CdfView::setCurves(std::vector<CdfCurve> curves)
{
    m_curves = std::move(curves);
    draw();
}

void CdfView::draw()
{
    m_plot->clearGraphs();
    double longest = 1e-3;
    for (const CdfCurve& curve : m_curves) {
        const Identity id = identity(curve.order);
        QVector<double> x{0}, y{0};
        const auto n = static_cast<double>(curve.sorted_s.size());
        QVector<double> mark_x, mark_y;
        for (std::size_t i = 0; i < curve.sorted_s.size(); ++i) {
            x << curve.sorted_s[i];
            y << 100 * static_cast<double>(i + 1) / n;
            if (const std::size_t every = curve.sorted_s.size() / 5 + 1; i % every == every / 2) {
                mark_x << x.back();
                mark_y << y.back();
            }
        }
        if (!curve.sorted_s.empty()) longest = std::max(longest, curve.sorted_s.back());
        QCPGraph* line = m_plot->addGraph();
        line->setName(curve.name);
        line->setLineStyle(QCPGraph::lsStepLeft);
        QPen pen(id.color, 1.6);
        if (!id.dash.isEmpty()) pen.setDashPattern(id.dash);
        line->setPen(pen);
        line->setData(x, y, true);
        QCPGraph* marks = m_plot->addGraph();
        marks->setLineStyle(QCPGraph::lsNone);
        marks->setPen(QPen(id.color));
        marks->setAdaptiveSampling(false);
        marks->setScatterStyle(
            QCPScatterStyle(markerPath(QRectF(-4, -4, 8, 8), id.marker), QPen(id.color), id.color, 8));
        marks->setData(mark_x, mark_y, true);
    }
    m_plot->xAxis->setRange(0, longest * 1.02);
    m_plot->xAxis->setNumberPrecision(longest < 5 ? 1 : 0);
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void CdfView::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange) {
        applyPlotTheme(*m_plot);
        draw();
    }
    QWidget::changeEvent(event);
}

} // namespace batchscope::widgets
