// SPDX-License-Identifier: GPL-3.0-or-later
// QCustomPlot ignores the palette: this gives it the theme's colours and the house's axes.
#pragma once

#include <QString>

class QCustomPlot;
class QCPAxis;
class QCPAxisRect;

namespace batchscope::widgets {

void applyPlotTheme(QCustomPlot& plot); // background and every axis of every rect
void plainAxes(QCPAxisRect& rect);      // left and bottom only, no frame, grid on the left axis
void limitTicks(QCPAxis& axis, int count);

} // namespace batchscope::widgets
