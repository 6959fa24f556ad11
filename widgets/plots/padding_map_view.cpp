// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/padding_map_view.h"

#include "widgets/look/theme.h"
#include "widgets/plots/padding_plottable.h"
#include "widgets/plots/plot_theme.h"

#include <QKeyEvent>
#include <QPainter>
#include <QVBoxLayout>

namespace batchscope::widgets {

PaddingMapView::PaddingMapView(QWidget* parent) : QWidget(parent), m_plot(new QCustomPlot(this))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(1, 1, 1, 1); // where the mark of the focus is
    layout->addWidget(m_plot);
    setAccessibleName(tr("Padding map"));
    m_plot->setAccessibleName(tr("Padding map"));
    m_plot->setFocusPolicy(Qt::StrongFocus);
    m_plot->setMinimumSize(160, 80);
    m_plottable = new PaddingPlottable(m_plot->xAxis, m_plot->yAxis);
    m_plot->addLayer(QStringLiteral("hover"));
    m_plot->layer(QStringLiteral("hover"))->setMode(QCPLayer::lmBuffered);
    m_hover = new HoverPlottable(m_plot->xAxis, m_plot->yAxis);
    m_hover->setLayer(QStringLiteral("hover"));
    QCPAxisRect* rect = m_plot->axisRect();
    plainAxes(*rect);
    rect->axis(QCPAxis::atLeft)->grid()->setVisible(false);
    rect->setMinimumMargins(QMargins(34, 8, 12, 34)); // pinned: a wider label must not shift the map
    rect->setRangeDrag(Qt::Horizontal);
    rect->setRangeZoom(Qt::Horizontal);
    m_plot->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    m_plot->yAxis->setRangeReversed(true);
    m_plot->xAxis->setLabel(tr("decode step"));
    m_plot->yAxis->setLabel(tr("slot"));
    m_plot->setNoAntialiasingOnDrag(true);
    m_plot->setMouseTracking(true);
    m_plot->installEventFilter(this);
    connect(m_plot->xAxis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this,
            [this] { keepInside(); });
    connect(m_plot, &QCustomPlot::mouseDoubleClick, this, [this] { fit(); });
    connect(m_plot, &QCustomPlot::afterReplot, this, [this] { ++m_replots; });
    applyPlotTheme(*m_plot);
}

void PaddingMapView::setMap(const PaddingMap* map, bool ended)
{
    m_map = map;
    m_plottable->setMap(map);
    m_highlight.reset();
    m_hover->setHover(map, std::nullopt);
    m_follow = true;
    refresh(ended);
}

void PaddingMapView::refresh(bool ended)
{
    m_ended = ended;
    if (!isVisible()) return; // showEvent asks again
    setRanges();
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void PaddingMapView::setSharedSteps(std::optional<std::int64_t> steps)
{
    m_shared_steps = steps;
    refresh(m_ended);
}

void PaddingMapView::setCompact(bool compact)
{
    m_compact = compact;
    m_plot->xAxis->setLabel(compact ? QString() : tr("decode step"));
    m_plot->yAxis->setLabel(compact ? QString() : tr("slot"));
    m_plot->axisRect()->setMinimumMargins(compact ? QMargins(26, 8, 12, 20) : QMargins(34, 8, 12, 34));
    m_plot->setMinimumSize(compact ? QSize(120, 60) : QSize(160, 80));
}

void PaddingMapView::highlight(std::optional<RequestIndex> request)
{
    if (request == m_highlight) return;
    m_highlight = request;
    m_hover->setHover(m_map, request);
    if (isVisible()) m_plot->layer(QStringLiteral("hover"))->replot();
}

std::pair<double, double> PaddingMapView::shownSteps() const
{
    const QCPRange range = m_plot->xAxis->range();
    return {range.lower, range.upper};
}

void PaddingMapView::fit()
{
    m_follow = true;
    refresh(m_ended);
}

void PaddingMapView::setRanges()
{
    m_setting = true;
    const std::int64_t steps = m_map ? m_map->steps() : 0;
    m_plot->yAxis->setRange(0, m_map ? lanesOf(*m_map) : 1);
    if (m_follow)
        m_plot->xAxis->setRange(0, static_cast<double>(m_shared_steps.value_or(axisEnd(steps, m_ended))));
    setTicks();
    m_setting = false;
}

// The first and last slot, and a few round ones between.
void PaddingMapView::setTicks()
{
    const int slots = m_map ? static_cast<int>(lanesOf(*m_map)) : 0;
    QSharedPointer<QCPAxisTickerText> ticker(new QCPAxisTickerText);
    const int step = m_compact     ? std::max(1, slots / 2)
                     : slots <= 8  ? 1
                     : slots <= 16 ? 5
                                   : (slots + 31) / 32 * 8;
    for (int slot = 0; slot < slots; slot += step)
        if (slot + step / 2 < slots || slot == 0) ticker->addTick(slot + 0.5, QString::number(slot));
    if (slots > 1) ticker->addTick(slots - 0.5, QString::number(slots - 1));
    m_plot->yAxis->setTicker(ticker);
    limitTicks(*m_plot->xAxis, m_compact ? 2 : 6);
}

void PaddingMapView::keepInside()
{
    if (m_setting) return;
    m_follow = false; // a gesture of the user
    const double end =
        static_cast<double>(m_shared_steps.value_or(axisEnd(m_map ? m_map->steps() : 0, m_ended)));
    QCPRange range = m_plot->xAxis->range();
    m_setting = true;
    const double width = std::clamp(range.size(), 10.0, std::max(end, 10.0));
    range.lower = std::clamp(range.lower, 0.0, std::max(0.0, end - width));
    m_plot->xAxis->setRange(range.lower, range.lower + width);
    m_setting = false;
}

const PaddingPiece* PaddingMapView::pieceUnder(const QPointF& at) const
{
    return m_map ? pieceAt(*m_map, m_plottable->geometry(), at) : nullptr;
}

// The wheel's and the drag's doings, by keys.
bool PaddingMapView::takeKey(int key)
{
    QCPAxis& axis = *m_plot->xAxis;
    const double width = axis.range().size();
    switch (key) {
    case Qt::Key_Plus:
    case Qt::Key_Equal: // the same key without Shift
        axis.scaleRange(1 / 1.25);
        break;
    case Qt::Key_Minus:
        axis.scaleRange(1.25);
        break;
    case Qt::Key_Left:
        axis.moveRange(-width / 8);
        break;
    case Qt::Key_Right:
        axis.moveRange(width / 8);
        break;
    case Qt::Key_Home:
        fit();
        return true;
    default:
        return false;
    }
    m_plot->replot(QCustomPlot::rpQueuedReplot);
    return true;
}

bool PaddingMapView::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::KeyPress && takeKey(static_cast<QKeyEvent*>(event)->key())) return true;
    if (event->type() == QEvent::MouseMove) {
        const QPoint at = static_cast<QMouseEvent*>(event)->pos();
        Q_EMIT pieceHovered(pieceUnder(at), at);
    } else if (event->type() == QEvent::Leave) {
        Q_EMIT pieceHovered(nullptr, {});
    } else if (event->type() == QEvent::MouseButtonPress) {
        Q_EMIT pieceClicked(pieceUnder(static_cast<QMouseEvent*>(event)->position()));
    } else if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut) {
        update();
    }
    return QWidget::eventFilter(watched, event);
}

void PaddingMapView::paintEvent(QPaintEvent*)
{
    if (!m_plot->hasFocus()) return;
    QPainter painter(this);
    painter.setPen(tokens().accent);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

void PaddingMapView::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange) {
        applyPlotTheme(*m_plot);
        refresh(m_ended);
    }
    QWidget::changeEvent(event);
}

void PaddingMapView::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    refresh(m_ended);
}

} // namespace batchscope::widgets
