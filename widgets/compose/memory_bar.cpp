// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compose/memory_bar.h"

#include "widgets/look/theme.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>

namespace batchscope::widgets {

MemoryBar::MemoryBar(QWidget* parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Memory plan"));
}

void MemoryBar::setPlan(const MemoryPlan& plan)
{
    m_plan = plan;
    update();
}

void MemoryBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Tokens& t = tokens();
    QPainterPath shape;
    shape.addRoundedRect(QRectF(rect()), 3, 3);
    painter.setClipPath(shape);
    painter.fillRect(rect(), t.chip);
    if (!m_plan.known) return;
    const auto needed = static_cast<double>(m_plan.weights_bytes + m_plan.kv_bytes);
    const double whole = std::max({needed, static_cast<double>(m_plan.free_bytes), 1.0});
    const double weights = width() * static_cast<double>(m_plan.weights_bytes) / whole;
    const double kv = width() * static_cast<double>(m_plan.kv_bytes) / whole;
    const bool fits = m_plan.fits();
    painter.fillRect(QRectF(0, 0, std::max(weights, 2.0), height()), fits ? t.accent : t.warn);
    painter.fillRect(QRectF(std::max(weights, 2.0), 0, std::max(kv, 2.0), height()),
                     fits ? t.useful : t.abandoned);
}

} // namespace batchscope::widgets
