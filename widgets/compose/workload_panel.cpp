// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compose/workload_panel.h"

#include "scheduler/metrics/metrics.h"
#include "widgets/compose/form.h"
#include "widgets/look/formats.h"
#include "widgets/look/scroll_column.h"
#include "widgets/look/theme.h"
#include "widgets/plots/histogram_view.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>

namespace batchscope::widgets {

using sessions::SessionDocument;
using sessions::WorkloadSpec;

namespace {

QString lengthsData(const sessions::LengthsSpec& lengths)
{
    return lengths.mode ? QString::fromStdString(lengthModeName(*lengths.mode)) : QStringLiteral("default");
}

std::vector<double> asReals(const std::vector<int>& values)
{
    return {values.begin(), values.end()};
}

QString spread(const std::vector<int>& values) // "median 92, p99 486"
{
    const Summary s = summarize(asReals(values));
    return WorkloadPanel::tr("median %1, p99 %2")
        .arg(number(s.median.value_or(0), 0), number(s.p99.value_or(0), 0));
}

} // namespace

WorkloadPanel::WorkloadPanel(SessionEditor& editor, QWidget* parent)
    : PanelBody(tr("Workload"), parent), m_editor(editor)
{
    QVBoxLayout* column = makeScrollColumn(*this);
    column->setContentsMargins(0, 0, 0, k_gap_m);
    column->setSpacing(k_gap_s);
    auto* form_box = new QVBoxLayout;
    form_box->setContentsMargins(k_gap_l, k_gap_l, k_gap_l, k_gap_m);
    form_box->addLayout(buildForm());
    m_skipped = mutedLabel({}, this);
    m_skipped->setWordWrap(true);
    m_skipped->setTextFormat(Qt::PlainText);
    form_box->addWidget(m_skipped);
    column->addLayout(form_box);
    m_outputs = new HistogramView(tr("Output lengths"), tr("output tokens"), true, this);
    m_prompts = new HistogramView(tr("Prompt lengths"), tr("prompt tokens"), true, this);
    m_arrival_times = new HistogramView(tr("Arrivals"), tr("seconds"), false, this);
    m_output_section = new Section(tr("Output length"), this);
    m_output_section->body()->addWidget(m_outputs);
    m_prompt_section = new Section(tr("Prompt length"), this);
    m_prompt_section->body()->addWidget(m_prompts);
    m_arrival_section = new Section(tr("Arrivals"), this);
    m_arrival_section->body()->addWidget(m_arrival_times);
    for (Section* section : {m_output_section, m_prompt_section, m_arrival_section})
        column->addWidget(section, 1);
    column->addStretch(0);
    connectFields();
    connect(&editor, &SessionEditor::documentChanged, this, &WorkloadPanel::follow);
    follow();
    setFacts({});
}

Form* WorkloadPanel::buildForm()
{
    auto* form = new Form;
    m_source = new QComboBox(this);
    m_source->addItem(tr("Demo prompts"), QStringLiteral("demo"));
    m_source->addItem(tr("Request file…"), QStringLiteral("file"));
    m_source->addItem(tr("Conversation file…"), QStringLiteral("dataset"));
    form->addField(tr("Source"), m_source,
                   tr("Demo prompts of the model in the box, a request file (JSONL or CSV) or conversations "
                      "(Alpaca, ShareGPT)"));
    m_file = new QLineEdit(this);
    m_file_label = form->addField(tr("File"), m_file, tr("Drop a file on the window to choose it"));
    m_requests = spinBox(0, 1000000, this);
    m_requests->setSpecialValueText(tr("all"));
    form->addField(tr("How many"), m_requests, tr("Requests taken from the source; 0: all"));
    m_seed = spinBox(0, 2147483647, this);
    form->addBeside(tr("Seed"), m_seed, tr("Same seed, same workload: selection, arrivals and sampling"));
    m_arrivals = new QComboBox(this);
    m_arrivals->addItem(tr("All at once"), QStringLiteral("all-at-once"));
    m_arrivals->addItem(tr("Even"), QStringLiteral("even"));
    m_arrivals->addItem(tr("Poisson"), QStringLiteral("poisson"));
    form->addField(tr("Arrivals"), m_arrivals, tr("When requests reach the server"));
    m_rate = realBox(0.01, 100000, 2, this);
    form->addBeside(tr("Rate /s"), m_rate, tr("Requests a second"));
    m_lengths = new QComboBox(this);
    m_lengths->addItem(tr("Automatic"), QStringLiteral("default"));
    m_lengths->addItem(tr("Free"), QStringLiteral("free"));
    m_lengths->addItem(tr("Replayed"), QStringLiteral("replayed"));
    m_lengths->addItem(tr("Fixed"), QStringLiteral("fixed"));
    form->addField(
        tr("Output lengths"), m_lengths,
        tr("Free: each answer ends where the model ends it. Replayed: each runs to its recorded length"));
    m_fixed = spinBox(1, 65536, this);
    form->addBeside(tr("Tokens"), m_fixed, tr("Output tokens of every request"));
    m_temperature = realBox(0, 2, 2, this);
    m_temperature->setSpecialValueText(tr("0 (greedy)"));
    m_temperature->setSingleStep(0.1);
    form->addField(tr("Temperature"), m_temperature,
                   tr("0: the most likely token; above: sampled, from the seed"));
    m_repetitions = spinBox(1, 100, this);
    form->addBeside(tr("Repeat"), m_repetitions, tr("How often every strategy runs, interleaved"));
    return form;
}

void WorkloadPanel::editWorkload(const QString& what, const QString& merge,
                                 const std::function<void(WorkloadSpec&)>& change)
{
    m_editor.change(
        what, [&](SessionDocument& document) { change(document.workload); }, merge);
}

void WorkloadPanel::connectFields()
{
    connect(m_source, &QComboBox::activated, this, &WorkloadPanel::chooseSource);
    connect(m_file, &QLineEdit::editingFinished, this, [this] {
        editWorkload(tr("change the workload file"), {},
                     [&](WorkloadSpec& w) { w.source.path = m_file->text().toStdString(); });
    });
    connect(m_requests, &QSpinBox::valueChanged, this, [this](int n) {
        editWorkload(tr("change the number of requests"), QStringLiteral("requests"),
                     [&](WorkloadSpec& w) { w.requests = n > 0 ? std::optional(n) : std::nullopt; });
    });
    connect(m_seed, &QSpinBox::valueChanged, this, [this](int seed) {
        editWorkload(tr("change the seed"), QStringLiteral("seed"), [&](WorkloadSpec& w) {
            w.seed = static_cast<std::uint64_t>(seed);
            w.sampling.seed = w.seed;
        });
    });
    connect(m_arrivals, &QComboBox::activated, this, [this] {
        editWorkload(tr("change the arrivals"), {}, [&](WorkloadSpec& w) {
            w.arrivals.process = m_arrivals->currentData().toString().toStdString();
            if (w.arrivals.process == "all-at-once")
                w.arrivals.rate.reset();
            else if (!w.arrivals.rate)
                w.arrivals.rate = 4.0;
        });
    });
    connect(m_rate, &QDoubleSpinBox::valueChanged, this, [this](double rate) {
        editWorkload(tr("change the rate"), QStringLiteral("rate"),
                     [&](WorkloadSpec& w) { w.arrivals.rate = rate; });
    });
    connect(m_lengths, &QComboBox::activated, this, &WorkloadPanel::chooseLengths);
    connect(m_fixed, &QSpinBox::valueChanged, this, [this](int n) {
        editWorkload(tr("change the fixed length"), QStringLiteral("fixed"),
                     [&](WorkloadSpec& w) { w.lengths.tokens = n; });
    });
    connect(m_temperature, &QDoubleSpinBox::valueChanged, this, [this](double t) {
        editWorkload(tr("change the temperature"), QStringLiteral("temperature"),
                     [&](WorkloadSpec& w) { w.sampling.temperature = t; });
    });
    connect(m_repetitions, &QSpinBox::valueChanged, this, [this](int n) {
        m_editor.change(
            tr("change the repetitions"), [&](SessionDocument& d) { d.repetitions = n; },
            QStringLiteral("repeat"));
    });
}

void WorkloadPanel::chooseSource()
{
    const QString type = m_source->currentData().toString();
    if (type == QLatin1String("demo"))
        editWorkload(tr("use the demo prompts"), {}, [](WorkloadSpec& w) { w.source = {}; });
    else
        chooseFile(type);
}

void WorkloadPanel::chooseFile(const QString& type)
{
    const bool requests = type == QLatin1String("file");
    const QString filter =
        requests ? tr("Request files (*.jsonl *.csv)") : tr("Conversations (*.json *.jsonl)");
    const QString file = QFileDialog::getOpenFileName(this, tr("Choose the prompts"), m_file->text(),
                                                      filter + QStringLiteral(";;") + tr("All files (*)"));
    if (file.isEmpty()) return follow(); // as it was
    editWorkload(tr("use %1").arg(QFileInfo(file).fileName()), {}, [&](WorkloadSpec& w) {
        w.source = {};
        w.source.type = type.toStdString();
        w.source.path = file.toStdString();
    });
}

void WorkloadPanel::chooseLengths()
{
    const QString mode = m_lengths->currentData().toString();
    editWorkload(tr("change the output lengths"), {}, [&](WorkloadSpec& w) {
        w.lengths = {};
        for (const LengthMode known : {LengthMode::Free, LengthMode::Replayed, LengthMode::Fixed})
            if (mode == QString::fromStdString(lengthModeName(known))) w.lengths.mode = known;
        if (w.lengths.mode == LengthMode::Fixed) w.lengths.tokens = m_fixed->value();
    });
}

void WorkloadPanel::follow()
{
    const SessionDocument& d = m_editor.document();
    const WorkloadSpec& w = d.workload;
    const QSignalBlocker quiet[] = {QSignalBlocker(m_requests),    QSignalBlocker(m_seed),
                                    QSignalBlocker(m_rate),        QSignalBlocker(m_fixed),
                                    QSignalBlocker(m_temperature), QSignalBlocker(m_repetitions)};
    selectData(*m_source, QString::fromStdString(w.source.type));
    m_file->setText(QString::fromStdString(w.source.path));
    m_file->setVisible(w.source.type != "demo");
    m_file_label->setVisible(w.source.type != "demo");
    m_requests->setValue(w.requests.value_or(0));
    m_seed->setValue(static_cast<int>(std::min<std::uint64_t>(w.seed, 2147483647)));
    selectData(*m_arrivals, QString::fromStdString(w.arrivals.process));
    m_rate->setValue(w.arrivals.rate.value_or(4.0));
    m_rate->setEnabled(w.arrivals.process != "all-at-once");
    selectData(*m_lengths, lengthsData(w.lengths));
    m_fixed->setValue(w.lengths.tokens.value_or(128));
    m_fixed->setEnabled(w.lengths.mode == LengthMode::Fixed);
    m_temperature->setValue(w.sampling.temperature);
    m_repetitions->setValue(d.repetitions);
}

void WorkloadPanel::setFacts(const WorkloadFacts& facts)
{
    const auto n = static_cast<int>(facts.prompt_tokens.size());
    setNote(!facts.known ? tr("reading…") : counted(n, tr("1 request"), tr("%1 requests")));
    QStringList lines;
    if (!facts.error.isEmpty()) lines << facts.error;
    if (!facts.skipped.isEmpty())
        lines << tr("rows left out: %1 (%2)")
                     .arg(facts.skipped.size())
                     .arg(facts.skipped.mid(0, 3).join(QStringLiteral("; ")));
    m_skipped->setText(lines.join(QLatin1Char('\n')));
    m_skipped->setVisible(!lines.isEmpty());
    setStyleFlag(m_skipped, "warn", !facts.error.isEmpty());
    m_outputs->setValues(asReals(facts.output_tokens));
    m_output_section->setVisible(!facts.output_tokens.empty());
    m_output_section->setNote(
        facts.output_tokens.empty() ? QString() : tr("recorded, %1").arg(spread(facts.output_tokens)));
    m_prompts->setValues(asReals(facts.prompt_tokens));
    m_prompt_section->setVisible(n > 0);
    m_prompt_section->setNote(n > 0 ? spread(facts.prompt_tokens) + facts.counted_by : QString());
    const bool spread_out =
        std::any_of(facts.arrivals_s.begin(), facts.arrivals_s.end(), [](double s) { return s > 0; });
    m_arrival_section->setVisible(spread_out);
    m_arrival_times->setValues(facts.arrivals_s);
    if (spread_out) {
        const double last = *std::max_element(facts.arrivals_s.begin(), facts.arrivals_s.end());
        m_arrival_section->setNote(tr("%1/s drawn").arg(number(n / last, 2)));
    }
}

} // namespace batchscope::widgets
