// SPDX-License-Identifier: GPL-3.0-or-later
// An icon that is painted anew each time, so that a change of theme reaches it.
#pragma once

#include <QIcon>
#include <QRectF>
#include <functional>

class QPainter;

namespace batchscope::widgets {

QIcon themedIcon(std::function<void(QPainter&, const QRectF& box, bool enabled)> paint);

} // namespace batchscope::widgets
