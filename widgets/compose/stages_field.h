// SPDX-License-Identifier: GPL-3.0-or-later
// The stretches of time of staged arrivals, one under the other: how long, at what rate, up or down to which.
#pragma once

#include "scheduler/workload/arrivals.h"

#include <QWidget>
#include <vector>

class QDoubleSpinBox;
class QGridLayout;

namespace batchscope::widgets {

class StagesField : public QWidget
{
    Q_OBJECT

public:
    explicit StagesField(QWidget* parent);
    void setStages(const std::vector<RateStage>& stages); // tells nobody
    const std::vector<RateStage>& stages() const { return m_stages; }

Q_SIGNALS:
    // `number`: which box changed; -1: a stage was added or removed.
    void edited(int number);

private:
    void build();
    void showStages();
    void addBox(int stage, int column, double least, double most, void (*set)(RateStage&, double));

    std::vector<RateStage> m_stages;
    QWidget* m_rows = nullptr;
    std::vector<QDoubleSpinBox*> m_boxes; // three a stage
};

} // namespace batchscope::widgets
