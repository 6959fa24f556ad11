// SPDX-License-Identifier: GPL-3.0-or-later
// When requests reach the server: the process and the fields that belong to it.
#pragma once

#include "widgets/compose/workload_form.h"

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QSpinBox;

namespace batchscope::widgets {

class DistributionField;
class StagesField;

class ArrivalsForm : public WorkloadForm
{
    Q_OBJECT

public:
    ArrivalsForm(SessionEditor& editor, QWidget* parent);

protected:
    void follow(const sessions::WorkloadSpec& workload) override;

private:
    void addFields();
    void bindFields();
    void bindBurstiness();
    void bindGaps();
    void followFields(const sessions::WorkloadSpec& workload);

    QComboBox *m_process, *m_gaps;
    QDoubleSpinBox *m_rate, *m_cv, *m_shape, *m_from, *m_to;
    QCheckBox *m_exact, *m_even;
    QSpinBox* m_clients;
    StagesField* m_stages;
    DistributionField* m_think;
};

// The arrivals of another process: what both processes know stays, the rest begins with something sensible.
ArrivalSpec arrivalsOf(const std::string& process, const ArrivalSpec& before);

} // namespace batchscope::widgets
