// SPDX-License-Identifier: GPL-3.0-or-later
// Weights and KV of the largest planned batch against the memory that is free.
#pragma once

#include "widgets/compose/memory_plan.h"

#include <QWidget>

namespace batchscope::widgets {

class MemoryBar : public QWidget
{
    Q_OBJECT

public:
    explicit MemoryBar(QWidget* parent = nullptr);
    void setPlan(const MemoryPlan& plan);
    QSize sizeHint() const override { return {200, 16}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    MemoryPlan m_plan;
};

} // namespace batchscope::widgets
