// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compose/simulator_fields.h"

#include "widgets/compose/form.h"
#include "widgets/compose/param_field.h"
#include "widgets/look/panel.h"
#include "widgets/look/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QLabel>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

namespace batchscope::widgets {

using sessions::BackendSpec;

namespace {

const QString& rooflineChoice()
{
    static const QString choice = QStringLiteral("\nroofline"); // no preset has this name
    return choice;
}

const QString& fileChoice()
{
    static const QString choice = QStringLiteral("\nfile");
    return choice;
}

constexpr double k_ms_per_s = 1e3;

QDoubleSpinBox* millisecondBox(QWidget* parent)
{
    QDoubleSpinBox* box = realBox(0, 3'600'000, 3, parent);
    box->setSuffix(QStringLiteral(" ms"));
    return box;
}

QString sectionTitle(const std::string& name)
{
    if (name.starts_with("device.")) return SimulatorFields::tr("Device");
    if (name.starts_with("model.")) return SimulatorFields::tr("Model's shape");
    return SimulatorFields::tr("Attention and overlap");
}

} // namespace

SimulatorFields::SimulatorFields(SessionEditor& editor, SimulatorChoices choices, QWidget* parent)
    : QWidget(parent), m_editor(editor), m_choices(std::move(choices)), m_preset(new QComboBox(this)),
      m_charges(new QCheckBox(tr("Predictions take time"), this)), m_call(millisecondBox(this)),
      m_request(millisecondBox(this)), m_shape(linkButton(tr("Shape from a model folder…"),
                                                          tr("Reads layers, widths, heads and bytes from the "
                                                             "folder's config.json"),
                                                          this)),
      m_problem(new QLabel(this)), m_column(new QVBoxLayout(this))
{
    m_column->setContentsMargins(0, k_gap_m, 0, 0);
    m_column->setSpacing(k_gap_m);
    for (const SimulatorChoices::Preset& preset : m_choices.presets) {
        m_preset->addItem(preset.name, preset.name);
        m_preset->setItemData(m_preset->count() - 1, preset.title, Qt::ToolTipRole);
    }
    m_preset->addItem(tr("Roofline of your figures"), rooflineChoice());
    m_preset->addItem(tr("A file…"), fileChoice());
    auto* top = new Form;
    top->addField(tr("Cost model"), m_preset,
                  tr("What a pass takes: fitted to measurements, or worked out from a device's data sheet"));
    m_column->addLayout(top);
    m_charges->setToolTip(
        tr("Off: as the cost model says. A time given with a strategy's predictor goes first."));
    m_column->addWidget(m_charges);
    auto* cost = new Form;
    cost->addField(tr("Each call"), m_call, tr("What one call of a predictor adds to the run"));
    cost->addField(tr("Each request"), m_request, tr("What each request of such a call adds"));
    m_column->addLayout(cost);
    m_problem->setWordWrap(true);
    m_problem->setTextFormat(Qt::PlainText);
    setStyleFlag(m_problem, "warn", true);
    m_problem->hide();
    m_column->addWidget(m_shape, 0, Qt::AlignLeft);
    m_column->addWidget(m_problem);
    connect(m_preset, &QComboBox::activated, this, &SimulatorFields::choosePreset);
    connect(m_shape, &QToolButton::clicked, this, &SimulatorFields::takeShape);
    connect(m_charges, &QCheckBox::toggled, this, [this] { editPrediction({}); });
    connect(m_call, &QDoubleSpinBox::valueChanged, this,
            [this] { editPrediction(QStringLiteral("predictor call")); });
    connect(m_request, &QDoubleSpinBox::valueChanged, this,
            [this] { editPrediction(QStringLiteral("predictor request")); });
    connect(&editor, &SessionEditor::documentChanged, this, &SimulatorFields::follow);
    follow();
}

void SimulatorFields::change(const QString& what, const QString& merge,
                             const std::function<void(BackendSpec&)>& edit)
{
    m_editor.change(
        what, [&](sessions::SessionDocument& document) { edit(document.backend); }, merge);
}

void SimulatorFields::choosePreset()
{
    const QString choice = m_preset->currentData().toString();
    if (choice == fileChoice()) return chooseFile();
    change(tr("change the cost model"), {}, [&](BackendSpec& b) {
        if (choice == rooflineChoice()) {
            if (!b.roofline) b.roofline.emplace();
            return;
        }
        b.roofline.reset();
        b.preset = choice.toStdString();
    });
}

void SimulatorFields::chooseFile()
{
    const QString file =
        QFileDialog::getOpenFileName(this, tr("Choose a cost model"), {}, tr("Cost models (*.json)"));
    if (file.isEmpty()) return follow();
    change(tr("change the cost model"), {}, [&](BackendSpec& b) {
        b.roofline.reset();
        b.preset = file.toStdString();
    });
}

void SimulatorFields::takeShape()
{
    const QString folder = QFileDialog::getExistingDirectory(this, tr("Choose a model folder"));
    if (folder.isEmpty() || !m_choices.shape_of) return;
    m_problem->hide();
    try {
        const RooflineFigures shape = m_choices.shape_of(folder);
        change(tr("take a model's shape"), {}, [&](BackendSpec& b) {
            if (!b.roofline) b.roofline.emplace();
            for (const auto& [name, value] : shape)
                (*b.roofline)[name] = value;
        });
    } catch (const std::exception& error) {
        m_problem->setText(QString::fromUtf8(error.what()));
        m_problem->show();
    }
}

void SimulatorFields::editPrediction(const QString& merge)
{
    change(tr("change what predictions cost"), merge, [&](BackendSpec& b) {
        if (m_charges->isChecked())
            b.predictor_cost = {m_call->value() / k_ms_per_s, m_request->value() / k_ms_per_s};
        else
            b.predictor_cost.reset();
    });
}

void SimulatorFields::setFigure(const std::string& name, ParamValue value)
{
    (*m_shown)[name] = value; // the field shows it already: the form is not made anew under the hand
    change(tr("change a figure of the roofline"), QString::fromStdString(name), [&](BackendSpec& b) {
        if (b.roofline) (*b.roofline)[name] = std::move(value);
    });
}

void SimulatorFields::buildFigures()
{
    if (m_form) {
        m_form->hide();
        m_form->deleteLater();
        m_form = nullptr;
    }
    m_shape->setVisible(m_shown.has_value());
    if (!m_shown) return;
    m_form = new QWidget(this);
    auto* form = new Form(m_form);
    QString section;
    for (const ParamDescriptor& knob : rooflineKnobs()) {
        if (const QString title = sectionTitle(knob.name); title != section) {
            section = title;
            form->addHead(strongLabel(title, m_form));
        }
        const auto given = m_shown->find(knob.name);
        QWidget* field = makeParamField(
            knob, given == m_shown->end() ? knob.default_value : given->second,
            [this, name = knob.name](ParamValue now) { setFigure(name, std::move(now)); }, m_form);
        form->addField(QString::fromStdString(knob.title), field, paramHelp(knob));
    }
    m_column->addWidget(m_form);
    m_form->show(); // a layout would wait for the event loop
}

void SimulatorFields::follow()
{
    const BackendSpec& b = m_editor.document().backend;
    selectData(*m_preset, b.roofline ? rooflineChoice() : QString::fromStdString(b.preset));
    m_preset->setToolTip(m_preset->currentData(Qt::ToolTipRole).toString());
    const QSignalBlocker quiet(m_charges), quiet_too(m_call), quiet_three(m_request);
    m_charges->setChecked(b.predictor_cost.has_value());
    m_call->setEnabled(b.predictor_cost.has_value());
    m_request->setEnabled(b.predictor_cost.has_value());
    if (b.predictor_cost) {
        m_call->setValue(b.predictor_cost->per_call_s * k_ms_per_s);
        m_request->setValue(b.predictor_cost->per_request_s * k_ms_per_s);
    }
    if (b.roofline == m_shown && m_shape->isHidden() == !m_shown) return;
    m_shown = b.roofline;
    buildFigures();
}

} // namespace batchscope::widgets
