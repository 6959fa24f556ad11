// SPDX-License-Identifier: GPL-3.0-or-later
// The padding map: x = decode step, y = slot, every slot-step in the colour of its kind.
#pragma once

#include "scheduler/folds/padding_map.h"

#include <QWidget>
#include <optional>
#include <utility>

class QCustomPlot;
class QCPMarginGroup;

namespace batchscope::widgets {

class PaddingPlottable;
class HoverPlottable;

class PaddingMapView : public QWidget
{
    Q_OBJECT

public:
    explicit PaddingMapView(QWidget* parent = nullptr);

    // The map must outlive the view or be replaced; nullptr: nothing to show.
    void setMap(const PaddingMap* map, bool ended);
    // One queued replot when something may have changed and the view can be seen. Called by the frame clock.
    void refresh(bool ended);
    void setSharedSteps(std::optional<std::int64_t> steps); // compared maps end at the same step
    void setCompact(bool compact);                          // small maps of Compare: no axis titles
    void highlight(std::optional<RequestIndex> request);
    void fit(); // the whole run, and follow it again
    bool isFollowing() const { return m_follow; }
    std::pair<double, double> shownSteps() const; // first and last of the axis
    int replots() const { return m_replots; }
    const PaddingPiece* pieceUnder(const QPointF& at) const; // pixels of this widget

Q_SIGNALS:
    void pieceHovered(const batchscope::PaddingPiece* piece, const QPoint& at); // nullptr: nothing there
    void pieceClicked(const batchscope::PaddingPiece* piece);

protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void setRanges();
    void setTicks();
    void keepInside();
    bool takeKey(int key);
    QCustomPlot* m_plot;
    PaddingPlottable* m_plottable;
    HoverPlottable* m_hover;
    const PaddingMap* m_map = nullptr;
    bool m_ended = false, m_follow = true, m_setting = false, m_compact = false;
    std::optional<std::int64_t> m_shared_steps;
    std::optional<RequestIndex> m_highlight;
    int m_replots = 0;
};

} // namespace batchscope::widgets
