// SPDX-License-Identifier: GPL-3.0-or-later
// What is asked of the server: source, how many, arrivals, output lengths; below it what that gives.
#pragma once

#include "widgets/compose/facts.h"
#include "widgets/look/panel.h"
#include "widgets/models/session_editor.h"

class QComboBox;
class QDoubleSpinBox;
class QLineEdit;
class QSpinBox;

namespace batchscope::widgets {

class HistogramView;
class Form;

class WorkloadPanel : public PanelBody
{
    Q_OBJECT

public:
    explicit WorkloadPanel(SessionEditor& editor, QWidget* parent = nullptr);
    void setFacts(const WorkloadFacts& facts);

private:
    Form* buildForm();
    void connectFields();
    void follow();
    void chooseSource();
    void chooseFile(const QString& type);
    void chooseLengths();
    void editWorkload(const QString& what, const QString& merge,
                      const std::function<void(sessions::WorkloadSpec&)>& change);
    SessionEditor& m_editor;
    QComboBox *m_source, *m_arrivals, *m_lengths;
    QLineEdit* m_file;
    QLabel *m_file_label, *m_skipped;
    QSpinBox *m_requests, *m_seed, *m_fixed, *m_repetitions;
    QDoubleSpinBox *m_rate, *m_temperature;
    Section *m_prompt_section, *m_output_section, *m_arrival_section;
    HistogramView *m_prompts, *m_outputs, *m_arrival_times;
};

} // namespace batchscope::widgets
