// SPDX-License-Identifier: GPL-3.0-or-later
// Share of requests done by time since their arrival, one line a run in the run's colour, marker and dash.
#pragma once

#include <QWidget>
#include <vector>

class QCustomPlot;

namespace batchscope::widgets {

struct CdfCurve
{
    int order = 0; // identity
    QString name;
    std::vector<double> sorted_s;
};

class CdfView : public QWidget
{
    Q_OBJECT

public:
    explicit CdfView(QWidget* parent = nullptr);
    void setCurves(std::vector<CdfCurve> curves);

protected:
    void changeEvent(QEvent* event) override;

private:
    void draw();
    QCustomPlot* m_plot;
    std::vector<CdfCurve> m_curves;
};

} // namespace batchscope::widgets
