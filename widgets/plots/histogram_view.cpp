// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/histogram_view.h"

#include "widgets/look/theme.h"
#include "widgets/plots/plot_theme.h"

#include "widgets/plots/custom_plot.h"
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

namespace batchscope::widgets {
namespace {

double roundWidth(double width) // up to 1, 2, 2.5, 5 x 10^n
{
    const double power = std::pow(10, std::floor(std::log10(width)));
    for (const double step : {1.0, 2.0, 2.5, 5.0})
        if (width <= step * power) return step * power;
    return 10 * power;
}

} // namespace

Histogram histogram(const std::vector<double>& values, int bins, bool whole)
{
    if (values.empty() || bins <= 0) return {};
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    double width = *high > *low ? roundWidth((*high - *low) / bins) : 1.0;
    if (whole) width = std::max(std::round(width), 1.0);
    const double first = std::floor(*low / width) * width;
    Histogram result{first, width,
                     std::vector<int>(static_cast<std::size_t>(std::floor((*high - first) / width)) + 1)};
    for (const double value : values) {
        const auto bin = static_cast<std::size_t>(std::floor((value - first) / width));
        ++result.counts[std::min(bin, result.counts.size() - 1)];
    }
    return result;
}

HistogramView::HistogramView(const QString& name, const QString& unit, bool whole, QWidget* parent)
    : QWidget(parent), m_plot(new QCustomPlot(this)), m_whole(whole)
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_plot);
    setAccessibleName(name);
    m_plot->setAccessibleName(name);
    m_plot->setFocusPolicy(Qt::NoFocus);
    m_plot->setMinimumSize(120, 84);
    plainAxes(*m_plot->axisRect());
    m_plot->axisRect()->setMinimumMargins(QMargins(32, 6, 10, 32));
    m_plot->xAxis->setLabel(unit);
    const auto wholeTicks = [](QCPAxis* axis) {
        QSharedPointer<QCPAxisTickerFixed> ticker(new QCPAxisTickerFixed);
        ticker->setTickStep(1);
        ticker->setScaleStrategy(QCPAxisTickerFixed::ssMultiples);
        axis->setTicker(ticker);
    };
    if (whole) wholeTicks(m_plot->xAxis);
    wholeTicks(m_plot->yAxis);
    limitTicks(*m_plot->xAxis, 5);
    limitTicks(*m_plot->yAxis, 3);
    m_bars = new QCPBars(m_plot->xAxis, m_plot->yAxis);
    color();
}

void HistogramView::setValues(const std::vector<double>& values)
{
    const Histogram h = histogram(values, 24, m_whole);
    QVector<double> keys, counts;
    int most = 1;
    for (std::size_t i = 0; i < h.counts.size(); ++i) {
        keys << h.first + (static_cast<double>(i) + .5) * h.width;
        counts << h.counts[i];
        most = std::max(most, h.counts[i]);
    }
    m_bars->setWidth(h.width * .9);
    m_bars->setData(keys, counts, true);
    const double end = h.first + h.width * static_cast<double>(std::max<std::size_t>(h.counts.size(), 1));
    const double least = h.width * 8; // one bin alone is no wall
    m_plot->xAxis->setRange(h.first < end * .3 ? 0 : std::max(0.0, std::min(h.first, end - least)), end);
    m_plot->xAxis->setNumberPrecision(end < 5 ? 1 : 0);
    m_plot->yAxis->setRange(0, most * 1.05);
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void HistogramView::color()
{
    applyPlotTheme(*m_plot);
    m_bars->setPen(Qt::NoPen);
    m_bars->setBrush(tokens().useful);
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void HistogramView::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange) color();
    QWidget::changeEvent(event);
}

} // namespace batchscope::widgets
