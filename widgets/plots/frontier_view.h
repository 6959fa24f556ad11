// SPDX-License-Identifier: GPL-3.0-or-later
// Throughput against p99 latency, one mark a trial, larger with more KV memory: what nothing beats is joined
// by a line, the session's own strategies have their markers, and what matters has its word beside it.
#pragma once

#include "widgets/models/trials.h"

#include <QPointF>
#include <QWidget>
#include <optional>

class QCustomPlot;

namespace batchscope::widgets {

class FrontierView : public QWidget
{
    Q_OBJECT

public:
    explicit FrontierView(QWidget* parent = nullptr);
    void setTrials(const Trials* trials); // must outlive the view, or be replaced
    void setChosen(int trial);            // has a ring around it; -1: none
    // The trial whose mark is nearest to a point of the view; nullopt farther than a few pixels.
    std::optional<int> trialAt(const QPointF& point) const;
    QString sentence() const; // what the picture shows, for those who hear it

Q_SIGNALS:
    void picked(int trial);

protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void draw();
    void drawMarks();
    void drawFrontier();
    void drawWords();
    void setRanges();
    double diameter(const Trial& trial) const;
    QCustomPlot* m_plot;
    const Trials* m_trials = nullptr;
    int m_chosen = -1;
};

} // namespace batchscope::widgets
