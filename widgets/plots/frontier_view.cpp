// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/frontier_view.h"

#include "widgets/look/formats.h"
#include "widgets/look/identity.h"
#include "widgets/look/theme.h"
#include "widgets/plots/plot_theme.h"

#include "widgets/plots/custom_plot.h"
#include <QHelpEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace batchscope::widgets {
namespace {

constexpr double k_least_mark = 5, k_largest_mark = 14;
constexpr double k_reach = 12;    // pixels from the pointer to a mark
constexpr double k_log_from = 20; // times the least latency: below, an even scale reads better

} // namespace

FrontierView::FrontierView(QWidget* parent) : QWidget(parent), m_plot(new QCustomPlot(this))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_plot);
    setAccessibleName(tr("Throughput against latency"));
    m_plot->setAccessibleName(tr("Throughput against latency"));
    m_plot->setMinimumSize(240, 160);
    m_plot->installEventFilter(this);
    plainAxes(*m_plot->axisRect());
    m_plot->axisRect()->setMinimumMargins(QMargins(60, 14, 20, 38));
    m_plot->xAxis->setLabel(tr("p99 latency, s (left is better)"));
    m_plot->yAxis->setLabel(tr("useful tokens/s (up is better)"));
    m_plot->xAxis->grid()->setVisible(true);
    limitTicks(*m_plot->yAxis, 5);
    applyPlotTheme(*m_plot);
}

void FrontierView::setTrials(const Trials* trials)
{
    m_trials = trials;
    m_chosen = -1;
    setAccessibleDescription(sentence());
    draw();
}

void FrontierView::setChosen(int trial)
{
    if (trial == m_chosen) return;
    m_chosen = trial;
    draw();
}

QString FrontierView::sentence() const
{
    if (!m_trials || m_trials->all.empty()) return tr("No run has been made yet");
    const auto frontier = std::count_if(m_trials->all.begin(), m_trials->all.end(),
                                        [](const Trial& trial) { return trial.is_on_frontier; });
    QStringList words{tr("%1 strategies, %2 of them beaten by none").arg(m_trials->all.size()).arg(frontier)};
    for (const Trial& trial : m_trials->all)
        if (!trial.mark.isEmpty())
            words << tr("%1: %2, %3 tokens/s, p99 %4")
                         .arg(trial.mark, trial.name, number(trial.tokens_per_s, 1),
                              seconds(trial.e2el_p99_s));
    return words.join(QLatin1String("; "));
}

// Areas are in proportion to the memory: a mark twice as wide stands for four times as much.
double FrontierView::diameter(const Trial& trial) const
{
    double most = 0;
    for (const Trial& one : m_trials->all)
        most = std::max(most, static_cast<double>(one.kv_bytes));
    if (most <= 0) return (k_least_mark + k_largest_mark) / 2;
    return std::max(k_least_mark, k_largest_mark * std::sqrt(static_cast<double>(trial.kv_bytes) / most));
}

void FrontierView::draw()
{
    m_plot->clearPlottables();
    m_plot->clearItems();
    if (m_trials && !m_trials->all.empty()) {
        setRanges();
        drawFrontier();
        drawMarks();
        drawWords();
    }
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void FrontierView::setRanges()
{
    double least = m_trials->all.front().e2el_p99_s, most = least, highest = 0;
    for (const Trial& trial : m_trials->all) {
        least = std::min(least, trial.e2el_p99_s);
        most = std::max(most, trial.e2el_p99_s);
        highest = std::max(highest, trial.tokens_per_s);
    }
    const bool is_log = least > 0 && most > k_log_from * least;
    m_plot->xAxis->setScaleType(is_log ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    if (is_log) {
        QSharedPointer<QCPAxisTickerLog> ticker(new QCPAxisTickerLog);
        ticker->setSubTickCount(0);
        m_plot->xAxis->setTicker(ticker);
        m_plot->xAxis->setRange(least / 1.3, most * 1.5);
    } else {
        m_plot->xAxis->setTicker(QSharedPointer<QCPAxisTicker>(new QCPAxisTicker));
        limitTicks(*m_plot->xAxis, 6);
        m_plot->xAxis->setRange(0, most * 1.12);
    }
    m_plot->xAxis->setNumberPrecision(most < 0.1 ? 3 : most < 5 ? 2 : most < 50 ? 1 : 0);
    m_plot->yAxis->setRange(0, highest * 1.14);
    m_plot->yAxis->setNumberPrecision(highest < 5 ? 1 : 0);
}

void FrontierView::drawFrontier()
{
    std::vector<QPointF> points;
    for (const Trial& trial : m_trials->all)
        if (trial.is_on_frontier) points.emplace_back(trial.e2el_p99_s, trial.tokens_per_s);
    std::sort(points.begin(), points.end(), [](const QPointF& a, const QPointF& b) {
        return a.x() != b.x() ? a.x() < b.x() : a.y() < b.y();
    });
    // In two dimensions: what only its memory keeps on the frontier would make the line go to and fro.
    auto* line = new QCPCurve(m_plot->xAxis, m_plot->yAxis);
    line->setPen(QPen(tokens().accent, 1.2));
    double highest = -1;
    for (const QPointF& point : points) {
        if (point.y() <= highest) continue;
        highest = point.y();
        line->addData(point.x(), point.y());
    }
}

void FrontierView::drawMarks()
{
    const Tokens& t = tokens();
    // What matters most is drawn last: the frontier over the rest, the session's own over both.
    std::vector<std::size_t> order(m_trials->all.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto layer = [&](std::size_t i) {
        const Trial& trial = m_trials->all[i];
        return static_cast<int>(i) == m_chosen ? 3 : trial.order >= 0 ? 2 : trial.is_on_frontier ? 1 : 0;
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return layer(a) < layer(b); });
    for (const std::size_t i : order) {
        const Trial& trial = m_trials->all[i];
        QCPGraph* graph = m_plot->addGraph();
        graph->setLineStyle(QCPGraph::lsNone);
        graph->setAdaptiveSampling(false);
        const double size = diameter(trial);
        const bool is_chosen = static_cast<int>(i) == m_chosen;
        if (trial.order >= 0) {
            const Identity id = identity(trial.order);
            const double own = std::max(size, 10.0);
            graph->setScatterStyle(
                QCPScatterStyle(markerPath(QRectF(-own / 2, -own / 2, own, own), id.marker),
                                QPen(is_chosen ? t.text : id.color, is_chosen ? 2 : 1), id.color, own));
        } else {
            const QColor color = trial.is_on_frontier ? t.accent : t.muted;
            graph->setScatterStyle(QCPScatterStyle(
                QCPScatterStyle::ssCircle, QPen(is_chosen ? t.text : color, is_chosen ? 2.4 : 1),
                trial.is_on_frontier ? QBrush(color) : QBrush(t.panel), size));
        }
        graph->setData({trial.e2el_p99_s}, {trial.tokens_per_s}, true);
    }
}

// Words stand beside their marks, and above or below each other where marks lie together.
void FrontierView::drawWords()
{
    std::vector<QRectF> taken;
    const QFont font = smallerFont(QApplication::font());
    const QFontMetricsF metrics(font);
    const QRectF inside = m_plot->axisRect()->rect();
    for (const Trial& trial : m_trials->all) {
        if (trial.mark.isEmpty()) continue;
        const double x = m_plot->xAxis->coordToPixel(trial.e2el_p99_s);
        const double y = m_plot->yAxis->coordToPixel(trial.tokens_per_s);
        const double width = metrics.horizontalAdvance(trial.mark) + 6, height = metrics.height();
        const double gap = diameter(trial) / 2 + 5;
        const bool to_left = inside.width() > 0 && x + gap + width > inside.right();
        QRectF box(to_left ? x - gap - width : x + gap, y - height / 2, width, height);
        const auto meets = [&](const QRectF& other) { return other.intersects(box); };
        for (int step = 1; std::any_of(taken.begin(), taken.end(), meets) && step < 9; ++step)
            box.moveTop(y - height / 2 + height * (step % 2 == 1 ? (step + 1) / 2 : -step / 2));
        taken.push_back(box);
        auto* text = new QCPItemText(m_plot);
        text->position->setType(QCPItemPosition::ptAbsolute);
        text->position->setCoords(box.left() + 3, box.center().y());
        text->setPositionAlignment(Qt::AlignLeft | Qt::AlignVCenter);
        text->setText(trial.mark);
        text->setFont(font);
        text->setColor(tokens().text);
        QColor ground = tokens().panel;
        ground.setAlpha(200);
        text->setBrush(ground);
    }
}

std::optional<int> FrontierView::trialAt(const QPointF& point) const
{
    if (!m_trials) return std::nullopt;
    std::optional<int> nearest;
    double least = k_reach;
    for (std::size_t i = 0; i < m_trials->all.size(); ++i) {
        const Trial& trial = m_trials->all[i];
        const double distance = std::hypot(m_plot->xAxis->coordToPixel(trial.e2el_p99_s) - point.x(),
                                           m_plot->yAxis->coordToPixel(trial.tokens_per_s) - point.y());
        if (distance > least) continue;
        least = distance;
        nearest = static_cast<int>(i);
    }
    return nearest;
}

bool FrontierView::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<const QHelpEvent*>(event);
        if (const auto at = trialAt(help->pos())) {
            const Trial& trial = m_trials->all[static_cast<std::size_t>(*at)];
            QString text = tr("%1\n%2 tokens/s, p99 %3")
                               .arg(trial.name, number(trial.tokens_per_s, 1), seconds(trial.e2el_p99_s));
            if (trial.kv_bytes > 0) text += tr(", KV %1").arg(bytes(trial.kv_bytes));
            QToolTip::showText(help->globalPos(), text, m_plot);
        } else {
            QToolTip::hideText();
        }
        return true;
    }
    if (event->type() == QEvent::MouseButtonRelease)
        if (const auto at = trialAt(static_cast<const QMouseEvent*>(event)->position())) Q_EMIT picked(*at);
    if (event->type() == QEvent::Resize && m_trials)
        QMetaObject::invokeMethod(this, &FrontierView::draw,
                                  Qt::QueuedConnection); // words follow their marks
    return QWidget::eventFilter(watched, event);
}

void FrontierView::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange) {
        applyPlotTheme(*m_plot);
        draw();
    }
    QWidget::changeEvent(event);
}

} // namespace batchscope::widgets
