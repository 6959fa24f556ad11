// SPDX-License-Identifier: GPL-3.0-or-later
// Who decides how long answers are, how tokens are chosen, and how often each strategy runs.
#pragma once

#include "widgets/compose/workload_form.h"

class QComboBox;
class QDoubleSpinBox;
class QSpinBox;

namespace batchscope::widgets {

class DistributionField;

class LengthsForm : public WorkloadForm
{
    Q_OBJECT

public:
    LengthsForm(SessionEditor& editor, QWidget* parent);

protected:
    void follow(const sessions::WorkloadSpec& workload) override;

private:
    void bindFields();

    QComboBox* m_mode;
    QSpinBox *m_tokens, *m_repetitions;
    DistributionField* m_drawn;
    QDoubleSpinBox *m_temperature, *m_top_p;
};

} // namespace batchscope::widgets
