// SPDX-License-Identifier: GPL-3.0-or-later
// A small histogram: previews of prompt lengths, output lengths and arrivals.
#pragma once

#include <QWidget>
#include <vector>

class QCustomPlot;
class QCPBars;

namespace batchscope::widgets {

struct Histogram
{
    double first = 0, width = 1; // left edge of the first bin, width of each
    std::vector<int> counts;
};
Histogram histogram(const std::vector<double>& values, int bins); // round edges; empty for no values

class HistogramView : public QWidget
{
    Q_OBJECT

public:
    HistogramView(const QString& name, const QString& unit, QWidget* parent = nullptr);
    void setValues(const std::vector<double>& values);

protected:
    void changeEvent(QEvent* event) override;

private:
    void color();
    QCustomPlot* m_plot;
    QCPBars* m_bars;
};

} // namespace batchscope::widgets
