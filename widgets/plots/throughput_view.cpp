// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/throughput_view.h"

#include "widgets/look/theme.h"
#include "widgets/plots/plot_theme.h"

#include "widgets/plots/custom_plot.h"
#include <QVBoxLayout>
#include <cmath>

namespace batchscope::widgets {
namespace {

constexpr std::size_t k_points = 160;

// The next of 1, 2, 2.5, 5 x 10^n: axes grow in steps and do not slide at every frame.
double niceCeiling(double value)
{
    if (value <= 0) return 1;
    const double power = std::pow(10, std::floor(std::log10(value)));
    for (const double step : {1.0, 1.5, 2.0, 2.5, 4.0, 5.0, 8.0, 10.0})
        if (value <= step * power) return step * power;
    return 10 * power;
}

} // namespace

std::vector<StripPoint> stripPoints(const ThroughputStrip& strip, std::size_t points, bool ended)
{
    const auto& buckets = strip.buckets();
    std::size_t count = buckets.size();
    if (!ended && count > 0) --count;
    if (count == 0 || points == 0) return {};
    const std::size_t together = (count + points - 1) / points;
    const double width_s = toSeconds(strip.bucketNs());
    std::vector<StripPoint> result;
    for (std::size_t first = 0; first < count; first += together) {
        const std::size_t last = std::min(first + together, count);
        const auto n = static_cast<double>(last - first);
        // The last bucket of an ended run is as long as the run left it.
        const double begin_s = static_cast<double>(first) * width_s;
        const double end_s = last == buckets.size()
                                 ? std::min(static_cast<double>(last) * width_s, toSeconds(strip.end()))
                                 : static_cast<double>(last) * width_s;
        const double span_s = std::max(end_s - begin_s, 1e-9);
        StripPoint point{.at_s = begin_s + span_s / 2};
        for (std::size_t i = first; i < last; ++i) {
            point.useful += buckets[i].useful / span_s;
            point.padding += buckets[i].padding / span_s;
            point.abandoned += buckets[i].abandoned / span_s;
            point.queue += buckets[i].queue / n;
            point.occupancy += buckets[i].occupancy / n;
        }
        result.push_back(point);
    }
    return result;
}

ThroughputView::ThroughputView(QWidget* parent) : QWidget(parent), m_plot(new QCustomPlot(this))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_plot);
    const QString name = tr("Throughput: useful and wasted tokens per second, waiting requests, occupancy");
    setAccessibleName(name);
    m_plot->setAccessibleName(name);
    m_plot->setMinimumSize(160, 120);
    m_plot->plotLayout()->clear();
    m_rates = addRect(tr("tokens/s"), 0);
    m_queue = addRect(tr("queue"), 1);
    m_occupancy = addRect(tr("in use"), 2);
    for (QCPAxisRect* rect : {m_rates, m_queue, m_occupancy})
        rect->setMinimumSize(10, 10);
    m_plot->plotLayout()->setRowStretchFactors({2.3, 1.0, 1.65}); // the last has the time axis under it
    m_plot->plotLayout()->setRowSpacing(2);
    auto* group = new QCPMarginGroup(m_plot);
    for (QCPAxisRect* rect : {m_rates, m_queue, m_occupancy})
        rect->setMarginGroup(QCP::msLeft | QCP::msRight, group);
    const auto graph = [this](QCPAxisRect* rect) {
        return m_plot->addGraph(rect->axis(QCPAxis::atBottom), rect->axis(QCPAxis::atLeft));
    };
    m_abandoned = graph(m_rates); // drawn first: each covers the sum below it
    m_padding = graph(m_rates);
    m_useful = graph(m_rates);
    m_waiting = graph(m_queue);
    m_active = graph(m_occupancy);
    for (QCPGraph* step : {m_waiting, m_active})
        step->setLineStyle(QCPGraph::lsStepCenter);
    connect(m_plot, &QCustomPlot::afterReplot, this, [this] { ++m_replots; });
    color();
}

QCPAxisRect* ThroughputView::addRect(const QString& label, int row)
{
    auto* rect = new QCPAxisRect(m_plot);
    m_plot->plotLayout()->addElement(row, 0, rect);
    plainAxes(*rect);
    const bool last = row == 2;
    rect->setMinimumMargins(QMargins(56, 6, 16, last ? 34 : 4));
    rect->axis(QCPAxis::atBottom)->setTickLabels(last);
    if (last) rect->axis(QCPAxis::atBottom)->setLabel(tr("time, s"));
    rect->axis(QCPAxis::atLeft)->setLabel(label);
    limitTicks(*rect->axis(QCPAxis::atLeft), row == 0 ? 4 : 2);
    if (last) {
        QSharedPointer<QCPAxisTickerFixed> ticker(new QCPAxisTickerFixed);
        ticker->setTickStep(1.0);
        rect->axis(QCPAxis::atLeft)->setTicker(ticker);
        rect->axis(QCPAxis::atLeft)->setNumberPrecision(1);
    }
    return rect;
}

void ThroughputView::color()
{
    applyPlotTheme(*m_plot);
    const Tokens& t = tokens();
    const auto area = [](QCPGraph* graph, const QColor& color) {
        graph->setPen(Qt::NoPen);
        graph->setBrush(color);
    };
    area(m_useful, t.useful);
    area(m_padding, t.padding);
    area(m_abandoned, t.abandoned);
    for (QCPGraph* line : {m_waiting, m_active})
        line->setPen(QPen(t.text, 1));
}

void ThroughputView::setStrip(const ThroughputStrip* strip, bool ended)
{
    m_strip = strip;
    refresh(ended);
}

void ThroughputView::refresh(bool ended)
{
    m_ended = ended;
    if (!isVisible()) return;
    fill();
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void ThroughputView::fill()
{
    const std::vector<StripPoint> points =
        m_strip ? stripPoints(*m_strip, k_points, m_ended) : std::vector<StripPoint>{};
    QVector<double> times, useful, padding, abandoned, queue, occupancy;
    double most = 0, longest = 0;
    for (const StripPoint& p : points) {
        times << p.at_s;
        useful << p.useful;
        padding << p.useful + p.padding;
        abandoned << p.useful + p.padding + p.abandoned;
        queue << p.queue;
        occupancy << p.occupancy;
        most = std::max(most, abandoned.back());
        longest = std::max(longest, p.queue);
    }
    m_useful->setData(times, useful, true);
    m_padding->setData(times, padding, true);
    m_abandoned->setData(times, abandoned, true);
    m_waiting->setData(times, queue, true);
    m_active->setData(times, occupancy, true);
    const double end_s = m_strip ? toSeconds(m_strip->end()) : 1;
    const double axis_s = m_ended ? std::max(end_s, 1e-3) : niceCeiling(std::max(end_s, 1.0));
    for (QCPAxisRect* rect : {m_rates, m_queue, m_occupancy})
        rect->axis(QCPAxis::atBottom)->setRange(0, axis_s);
    m_rates->axis(QCPAxis::atLeft)->setRange(0, niceCeiling(most));
    const double queue_top = niceCeiling(std::max(longest, 1.0));
    QSharedPointer<QCPAxisTickerFixed> ends(
        new QCPAxisTickerFixed); // 0 and the top: the rect is too low for more
    ends->setTickStep(queue_top);
    m_queue->axis(QCPAxis::atLeft)->setTicker(ends);
    m_queue->axis(QCPAxis::atLeft)->setRange(0, queue_top * 1.05);
    m_occupancy->axis(QCPAxis::atLeft)->setRange(0, 1.05);
    QCPAxis* bottom = m_occupancy->axis(QCPAxis::atBottom);
    bottom->setNumberPrecision(axis_s < 5 ? 1 : 0);
    limitTicks(*bottom, 7);
}

void ThroughputView::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange) {
        color();
        refresh(m_ended);
    }
    QWidget::changeEvent(event);
}

void ThroughputView::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    refresh(m_ended);
}

} // namespace batchscope::widgets
