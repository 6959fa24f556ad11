// SPDX-License-Identifier: GPL-3.0-or-later
// One plot, three stacked axis rects over one time axis: useful over wasted tokens/s, waiting requests,
// occupancy.
#pragma once

#include "scheduler/folds/throughput.h"

#include <QWidget>
#include <vector>

class QCustomPlot;
class QCPAxisRect;
class QCPGraph;

namespace batchscope::widgets {

// Neighbouring buckets averaged, so that at most `points` remain; times are the middle of each in seconds.
// The last, unfinished bucket is left out while the run goes on.
struct StripPoint
{
    double at_s = 0;
    double useful = 0, padding = 0, abandoned = 0; // slot-steps/s
    double queue = 0, occupancy = 0;
};
std::vector<StripPoint> stripPoints(const ThroughputStrip& strip, std::size_t points, bool ended);

class ThroughputView : public QWidget
{
    Q_OBJECT

public:
    explicit ThroughputView(QWidget* parent = nullptr);
    void setStrip(const ThroughputStrip* strip, bool ended); // nullptr: nothing to show
    void refresh(bool ended);
    int replots() const { return m_replots; }

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    QCPAxisRect* addRect(const QString& label, int row);
    void color();
    void fill();
    QCustomPlot* m_plot;
    QCPAxisRect *m_rates, *m_queue, *m_occupancy;
    QCPGraph *m_useful, *m_padding, *m_abandoned, *m_waiting, *m_active;
    const ThroughputStrip* m_strip = nullptr;
    bool m_ended = false;
    int m_replots = 0;
};

} // namespace batchscope::widgets
