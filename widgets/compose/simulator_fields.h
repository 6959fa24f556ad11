// SPDX-License-Identifier: GPL-3.0-or-later
// What the simulator charges: a cost model from the box or a file, or a roofline of one's own figures, and
// what predictions cost. All of it is the session's, under undo.
#pragma once

#include "widgets/compose/facts.h"
#include "widgets/models/session_editor.h"

#include <QWidget>
#include <optional>

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QToolButton;
class QVBoxLayout;

namespace batchscope::widgets {

class SimulatorFields : public QWidget
{
    Q_OBJECT

public:
    SimulatorFields(SessionEditor& editor, SimulatorChoices choices, QWidget* parent = nullptr);

private:
    void follow();
    void choosePreset();
    void chooseFile();
    void takeShape();
    void buildFigures();
    void setFigure(const std::string& name, ParamValue value);
    void editPrediction(const QString& merge);
    void change(const QString& what, const QString& merge,
                const std::function<void(sessions::BackendSpec&)>& edit);

    SessionEditor& m_editor;
    SimulatorChoices m_choices;
    QComboBox* m_preset;
    QCheckBox* m_charges;
    QDoubleSpinBox *m_call, *m_request;
    QToolButton* m_shape;
    QLabel* m_problem;
    QVBoxLayout* m_column;
    QWidget* m_form = nullptr;
    std::optional<RooflineFigures> m_shown; // what the form's fields hold
};

} // namespace batchscope::widgets
