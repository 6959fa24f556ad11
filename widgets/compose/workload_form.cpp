// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compose/workload_form.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QSpinBox>

namespace batchscope::widgets {

using sessions::WorkloadSpec;

WorkloadForm::WorkloadForm(SessionEditor& editor, QWidget* parent)
    : QWidget(parent), m_editor(editor), m_form(new Form(this))
{
    m_form->setColumnMinimumWidth(0, k_title_width);
    m_form->setColumnStretch(3, 3); // two numbers side by side are alike
}

void WorkloadForm::followEditor()
{
    connect(&m_editor, &SessionEditor::documentChanged, this,
            [this] { follow(m_editor.document().workload); });
    follow(m_editor.document().workload);
}

void WorkloadForm::edit(const QString& what, const QString& merge,
                        const std::function<void(WorkloadSpec&)>& change)
{
    m_editor.change(
        what, [&](sessions::SessionDocument& document) { change(document.workload); }, merge);
}

void WorkloadForm::bind(QDoubleSpinBox* box, const QString& what, const QString& merge,
                        std::function<void(WorkloadSpec&, double)> set)
{
    connect(box, &QDoubleSpinBox::valueChanged, this, [this, what, merge, set](double value) {
        edit(what, merge, [&](WorkloadSpec& workload) { set(workload, value); });
    });
}

void WorkloadForm::bind(QSpinBox* box, const QString& what, const QString& merge,
                        std::function<void(WorkloadSpec&, int)> set)
{
    connect(box, &QSpinBox::valueChanged, this, [this, what, merge, set](int value) {
        edit(what, merge, [&](WorkloadSpec& workload) { set(workload, value); });
    });
}

void WorkloadForm::bind(QComboBox* box, const QString& what,
                        std::function<void(WorkloadSpec&, const std::string&)> set)
{
    connect(box, &QComboBox::activated, this, [this, box, what, set] {
        edit(what, {},
             [&](WorkloadSpec& workload) { set(workload, box->currentData().toString().toStdString()); });
    });
}

} // namespace batchscope::widgets
