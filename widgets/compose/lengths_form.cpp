// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compose/lengths_form.h"

#include "widgets/compose/distribution_field.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QSignalBlocker>
#include <QSpinBox>

namespace batchscope::widgets {

using sessions::WorkloadSpec;

namespace {

constexpr int k_usual_tokens = 128;

} // namespace

LengthsForm::LengthsForm(SessionEditor& editor, QWidget* parent)
    : WorkloadForm(editor, parent), m_mode(new QComboBox(this)), m_tokens(spinBox(1, 16'777'216, this)),
      m_repetitions(spinBox(1, 100, this)),
      m_drawn(new DistributionField(tr("Drawn from"), {}, k_usual_tokens, 0, this)),
      m_temperature(realBox(0, 100, 2, this)), m_top_p(realBox(0.01, 1, 2, this))
{
    m_mode->addItem(tr("Automatic"), QStringLiteral("default"));
    m_mode->addItem(tr("Free"), QStringLiteral("free"));
    m_mode->addItem(tr("Replayed"), QStringLiteral("replayed"));
    m_mode->addItem(tr("Fixed"), QStringLiteral("fixed"));
    m_mode->addItem(tr("Drawn"), QStringLiteral("drawn"));
    form().addField(tr("Output lengths"), m_mode,
                    tr("Free: each answer ends where the model ends it. Replayed: each runs to its recorded "
                       "length. Automatic: replayed where the source has lengths, else free"));
    form().addField(tr("Tokens"), m_tokens, tr("Output tokens of every request"));
    form().addField(tr("Drawn from"), m_drawn, tr("Output tokens of each request, drawn by the seed"));
    m_temperature->setSpecialValueText(tr("greedy"));
    m_temperature->setSingleStep(0.1);
    form().addField(tr("Temperature"), m_temperature,
                    tr("0: the most likely token; above: sampled, from the seed"));
    m_top_p->setSingleStep(0.05);
    form().addBeside(tr("Top-p"), m_top_p, tr("Sample among the likeliest tokens that have this share"));
    form().addField(tr("Repeat"), m_repetitions, tr("How often every strategy runs, interleaved"));
    bindFields();
    followEditor();
}

void LengthsForm::bindFields()
{
    bind(m_mode, tr("change the output lengths"), [this](WorkloadSpec& w, const std::string& mode) {
        w.lengths = {};
        for (const LengthMode known :
             {LengthMode::Free, LengthMode::Replayed, LengthMode::Fixed, LengthMode::Drawn})
            if (mode == lengthModeName(known)) w.lengths.mode = known;
        if (w.lengths.mode == LengthMode::Fixed) w.lengths.tokens = m_tokens->value();
        if (w.lengths.mode == LengthMode::Drawn) w.lengths.output_tokens = m_drawn->value();
    });
    bind(m_tokens, tr("change the fixed length"), QStringLiteral("fixed"),
         [](WorkloadSpec& w, int n) { w.lengths.tokens = n; });
    bind(m_temperature, tr("change the temperature"), QStringLiteral("temperature"),
         [](WorkloadSpec& w, double t) { w.sampling.temperature = t; });
    bind(m_top_p, tr("change top-p"), QStringLiteral("top-p"),
         [](WorkloadSpec& w, double p) { w.sampling.top_p = p; });
    connect(m_drawn, &DistributionField::edited, this, [this](const QString& of) {
        edit(tr("change the drawn lengths"), of.isEmpty() ? QString() : QStringLiteral("drawn.") + of,
             [this](WorkloadSpec& w) { w.lengths.output_tokens = m_drawn->value(); });
    });
    connect(m_repetitions, &QSpinBox::valueChanged, this, [this](int n) {
        editor().change(
            tr("change the repetitions"), [n](sessions::SessionDocument& d) { d.repetitions = n; },
            QStringLiteral("repeat"));
    });
}

void LengthsForm::follow(const WorkloadSpec& w)
{
    const QSignalBlocker quiet[] = {QSignalBlocker(m_tokens), QSignalBlocker(m_temperature),
                                    QSignalBlocker(m_top_p), QSignalBlocker(m_repetitions)};
    selectData(*m_mode, w.lengths.mode ? QString::fromStdString(lengthModeName(*w.lengths.mode))
                                       : QStringLiteral("default"));
    m_tokens->setValue(w.lengths.tokens.value_or(k_usual_tokens));
    if (w.lengths.output_tokens) m_drawn->setValue(w.lengths.output_tokens);
    m_temperature->setValue(w.sampling.temperature);
    m_top_p->setValue(w.sampling.top_p);
    m_repetitions->setValue(editor().document().repetitions);
    form().setFieldVisible(m_tokens, w.lengths.mode == LengthMode::Fixed);
    form().setFieldVisible(m_drawn, w.lengths.mode == LengthMode::Drawn);
}

} // namespace batchscope::widgets
