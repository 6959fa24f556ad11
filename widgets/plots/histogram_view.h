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
// Round edges; bins of whole numbers are at least 1 wide; empty for no values.
Histogram histogram(const std::vector<double>& values, int bins, bool whole);

class HistogramView : public QWidget
{
    Q_OBJECT

public:
    HistogramView(const QString& name, const QString& unit, bool whole, QWidget* parent = nullptr);
    void setValues(const std::vector<double>& values);

protected:
    void changeEvent(QEvent* event) override;

private:
    void color();
    QCustomPlot* m_plot;
    QCPBars* m_bars;
    bool m_whole;
};

} // namespace batchscope::widgets
