// SPDX-License-Identifier: GPL-3.0-or-later
// A group of fields about one part of the workload. It follows the document and changes it under undo.
#pragma once

#include "widgets/compose/form.h"
#include "widgets/models/session_editor.h"

#include <QWidget>

namespace batchscope::widgets {

class WorkloadForm : public QWidget
{
    Q_OBJECT

public:
    WorkloadForm(SessionEditor& editor, QWidget* parent);

protected:
    virtual void follow(const sessions::WorkloadSpec& workload) = 0; // tells nobody
    // `merge`: as SessionEditor::change() has it.
    void edit(const QString& what, const QString& merge,
              const std::function<void(sessions::WorkloadSpec&)>& change);
    // The field's value becomes the document's through `set`, each edit a step of undo.
    void bind(QDoubleSpinBox* box, const QString& what, const QString& merge,
              std::function<void(sessions::WorkloadSpec&, double)> set);
    void bind(QSpinBox* box, const QString& what, const QString& merge,
              std::function<void(sessions::WorkloadSpec&, int)> set);
    void bind(QComboBox* box, const QString& what,
              std::function<void(sessions::WorkloadSpec&, const std::string& data)> set);
    Form& form() { return *m_form; }
    SessionEditor& editor() { return m_editor; }
    void followEditor(); // once the fields are there, and on every change

private:
    SessionEditor& m_editor;
    Form* m_form;
};

} // namespace batchscope::widgets
