// SPDX-License-Identifier: GPL-3.0-or-later
// What runs it: the backend, the model folder, dtype, device, threads; what lies in the folder and what it
// needs.
#pragma once

#include "widgets/compose/facts.h"
#include "widgets/compose/memory_plan.h"
#include "widgets/look/panel.h"
#include "widgets/models/session_editor.h"

class QComboBox;
class QGridLayout;
class QSpinBox;
class QTableWidget;

namespace batchscope::widgets {

class MemoryBar;
class SimulatorFields;

class ModelPanel : public PanelBody
{
    Q_OBJECT

public:
    ModelPanel(SessionEditor& editor, const SimulatorChoices& choices, QWidget* parent = nullptr);
    void setFacts(const ModelFacts& facts);
    void setPlan(const MemoryPlan& plan);

private:
    void connectFields();
    void follow();
    void chooseModel();
    void editBackend(const QString& what, const QString& merge,
                     const std::function<void(sessions::BackendSpec&)>& change);
    void showLines(const ModelFacts& facts);
    void showPredictors(const ModelFacts& facts);
    SessionEditor& m_editor;
    QComboBox *m_backend, *m_model, *m_dtype, *m_device;
    QSpinBox* m_threads;
    std::vector<QWidget*> m_torch_only;
    QLabel *m_error, *m_memory_text, *m_predictor_note;
    Section *m_found, *m_memory, *m_predictors;
    QGridLayout* m_lines;
    SimulatorFields* m_simulator;
    MemoryBar* m_bar;
    QTableWidget* m_table;
};

} // namespace batchscope::widgets
