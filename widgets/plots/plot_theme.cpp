// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/plot_theme.h"

#include "widgets/look/theme.h"

#include "widgets/plots/custom_plot.h"

namespace batchscope::widgets {
namespace {

void colorAxis(QCPAxis& axis, const Tokens& t, const QFont& font)
{
    axis.setBasePen(Qt::NoPen);
    axis.setTickPen(Qt::NoPen);
    axis.setSubTickPen(Qt::NoPen);
    axis.setTickLabelColor(t.muted);
    axis.setLabelColor(t.muted);
    axis.setTickLabelFont(font);
    axis.setLabelFont(font);
    axis.grid()->setPen(QPen(t.grid, 1));
    axis.grid()->setZeroLinePen(QPen(t.grid, 1));
}

} // namespace

void applyPlotTheme(QCustomPlot& plot)
{
    const Tokens& t = tokens();
    const QFont font = smallerFont(QApplication::font());
    plot.setBackground(QBrush(t.panel));
    for (QCPAxisRect* rect : plot.axisRects())
        for (QCPAxis* axis : rect->axes())
            colorAxis(*axis, t, font);
}

void plainAxes(QCPAxisRect& rect)
{
    for (const auto type : {QCPAxis::atLeft, QCPAxis::atBottom, QCPAxis::atTop, QCPAxis::atRight}) {
        QCPAxis* axis = rect.axis(type);
        if (!axis) continue;
        axis->setVisible(type == QCPAxis::atLeft || type == QCPAxis::atBottom);
        axis->setTickLength(0);
        axis->setSubTicks(false);
        axis->setTickLabelPadding(4);
        axis->setNumberFormat(QStringLiteral("f"));
        axis->setNumberPrecision(0);
        axis->grid()->setVisible(type == QCPAxis::atLeft);
    }
}

void limitTicks(QCPAxis& axis, int count)
{
    axis.ticker()->setTickStepStrategy(QCPAxisTicker::tssReadability);
    axis.ticker()->setTickCount(count);
}

} // namespace batchscope::widgets
