// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compose/source_form.h"

#include "widgets/compose/distribution_field.h"
#include "widgets/look/theme.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QToolButton>
#include <algorithm>

namespace batchscope::widgets {

using sessions::SourceSpec;
using sessions::WorkloadSpec;

namespace {

constexpr int k_most_requests = 10'000'000;
constexpr int k_made_requests = 256; // of a synthetic source, which has no end of its own

bool hasFile(const std::string& type)
{
    return type == "file" || type == "dataset" || type == "trace";
}

} // namespace

SourceForm::SourceForm(SessionEditor& editor, QWidget* parent)
    : WorkloadForm(editor, parent), m_source(new QComboBox(this)), m_format(new QComboBox(this)),
      m_unit(new QComboBox(this)), m_zero(new QComboBox(this)), m_turns(new QComboBox(this)),
      m_file_row(new QWidget(this)), m_file(new QLineEdit(m_file_row)),
      m_requests(spinBox(0, k_most_requests, this)), m_seed(spinBox(0, 2147483647, this)),
      m_speed(realBox(0.001, 100000, 3, this))
{
    m_source->addItem(tr("Demo prompts"), QStringLiteral("demo"));
    m_source->addItem(tr("Request file"), QStringLiteral("file"));
    m_source->addItem(tr("Data set: conversations"), QStringLiteral("dataset"));
    m_source->addItem(tr("Trace: recorded arrivals"), QStringLiteral("trace"));
    m_source->addItem(tr("Synthetic: drawn lengths"), QStringLiteral("synthetic"));
    form().addField(tr("Source"), m_source,
                    tr("Demo prompts of the model in the box, a request file (JSONL or CSV), conversations "
                       "(Alpaca, ShareGPT, LMSYS), a trace (Azure, BurstGPT, Mooncake, vidur, splitwise), or "
                       "lengths drawn from distributions"));
    addFileFields();
    addSyntheticFields();
    m_requests->setSpecialValueText(tr("all"));
    form().addField(tr("How many"), m_requests,
                    tr("0: all. Of a trace the first ones are taken, of anything else a draw by the seed"));
    form().addBeside(tr("Seed"), m_seed, tr("Same seed, same workload: selection, arrivals and sampling"));
    bindFields();
    followEditor();
}

void SourceForm::addFileFields()
{
    auto* row = new QHBoxLayout(m_file_row);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(k_gap_s);
    auto* browse = new QToolButton(m_file_row);
    browse->setObjectName(QStringLiteral("bar"));
    browse->setText(tr("Browse…"));
    browse->setAccessibleName(tr("Browse for the workload's file"));
    row->addWidget(m_file, 1);
    row->addWidget(browse);
    m_file_row->setFocusProxy(m_file);
    form().addField(tr("File"), m_file_row, tr("Drop a file on the window to choose it"));
    m_file->setAccessibleName(tr("File"));
    m_file->setMinimumWidth(64);
    m_format->addItem(tr("Recognised"), QString());
    form().addField(tr("Format"), m_format, tr("How the file is read; recognised by its columns or keys"));
    m_unit->addItem(tr("As proposed"), QString());
    for (const char* unit : {"s", "ms", "us", "ns"})
        m_unit->addItem(QString::fromLatin1(unit), QString::fromLatin1(unit));
    form().addField(tr("Time unit"), m_unit,
                    tr("Of the times in the file; proposed from the column and the magnitude. They are "
                       "shifted so that the first request arrives at 0"));
    form().addField(tr("Speed"), m_speed, tr("2: twice as fast as recorded"));
    m_speed->setSuffix(tr(" ×"));
    m_turns->addItem(tr("First question"), QStringLiteral("first"));
    m_turns->addItem(tr("All, in turn"), QStringLiteral("all"));
    form().addField(tr("Questions"), m_turns,
                    tr("Of a conversation: its first question, or each one after the answer before it"));
    m_zero->addItem(tr("Skip the row"), QStringLiteral("skip"));
    m_zero->addItem(tr("Take as 1"), QStringLiteral("clip"));
    form().addField(tr("0 tokens"), m_zero, tr("What becomes of rows that say 0 tokens"));
    connect(m_file, &QLineEdit::editingFinished, this, [this] {
        edit(tr("change the workload file"), {},
             [this](WorkloadSpec& w) { w.source.path = m_file->text().toStdString(); });
    });
    connect(browse, &QToolButton::clicked, this, [this] {
        const QString type = m_source->currentData().toString();
        const QString file = askForFile(type);
        if (!file.isEmpty()) useSource(type, file);
    });
}

DistributionField* SourceForm::distributionField(const QString& title, const QString& help,
                                                 const QString& none, double typical,
                                                 std::optional<Distribution> SourceSpec::*member,
                                                 const QString& what, const QString& merge)
{
    auto* field = new DistributionField(title, none, typical, 0, this);
    form().addField(title, field, help);
    connect(field, &DistributionField::edited, this, [this, field, member, what, merge](const QString& of) {
        edit(what, of.isEmpty() ? QString() : merge + of,
             [&](WorkloadSpec& w) { w.source.*member = field->value(); });
    });
    m_drawn.push_back({field, member});
    return field;
}

void SourceForm::addSyntheticFields()
{
    distributionField(tr("Prompt length"), tr("Tokens of each prompt, drawn by the seed"), {}, 160,
                      &SourceSpec::prompt_tokens, tr("change the prompt lengths"),
                      QStringLiteral("prompts."));
    distributionField(tr("Answer length"), tr("Recorded length of each answer, which \"replayed\" replays"),
                      tr("Not recorded"), 160, &SourceSpec::output_tokens, tr("change the answer lengths"),
                      QStringLiteral("answers."));
    distributionField(tr("Clients"), tr("The number of the client that asks, for fair ordering"), tr("One"),
                      8, &SourceSpec::clients, tr("change the clients"), QStringLiteral("clients."));
    distributionField(tr("Priorities"), tr("The class of each request; a smaller number is more urgent"),
                      tr("All alike"), 2, &SourceSpec::priorities, tr("change the priorities"),
                      QStringLiteral("priorities."));
}

void SourceForm::bindFields()
{
    connect(m_source, &QComboBox::activated, this, &SourceForm::chooseSource);
    bind(m_format, tr("change the format"),
         [](WorkloadSpec& w, const std::string& f) { w.source.format = f; });
    bind(m_unit, tr("change the time unit"),
         [](WorkloadSpec& w, const std::string& u) { w.source.time_unit = u; });
    bind(m_turns, tr("change the questions"),
         [](WorkloadSpec& w, const std::string& t) { w.source.turns = t; });
    bind(m_zero, tr("change what 0 tokens are"),
         [](WorkloadSpec& w, const std::string& rule) { w.source.zero_tokens = rule; });
    bind(m_speed, tr("change the speed"), QStringLiteral("speed"),
         [](WorkloadSpec& w, double speed) { w.source.speed = speed; });
    bind(m_requests, tr("change the number of requests"), QStringLiteral("requests"),
         [](WorkloadSpec& w, int n) { w.requests = n > 0 ? std::optional(n) : std::nullopt; });
    bind(m_seed, tr("change the seed"), QStringLiteral("seed"), [](WorkloadSpec& w, int seed) {
        w.seed = static_cast<std::uint64_t>(seed);
        w.sampling.seed = w.seed;
    });
}

// A file that is there is read in another way; where there is none it is asked for.
void SourceForm::chooseSource()
{
    const QString type = m_source->currentData().toString();
    QString file = QString::fromStdString(editor().document().workload.source.path);
    if (hasFile(type.toStdString()) && file.isEmpty()) {
        file = askForFile(type);
        if (file.isEmpty()) return follow(editor().document().workload); // as it was
    }
    useSource(type, file);
}

QString SourceForm::askForFile(const QString& type)
{
    const QString filter = type == QLatin1String("file")    ? tr("Request files (*.jsonl *.csv)")
                           : type == QLatin1String("trace") ? tr("Traces (*.csv *.jsonl)")
                                                            : tr("Conversations (*.json *.jsonl)");
    return QFileDialog::getOpenFileName(this, tr("Choose the requests"), m_file->text(),
                                        filter + QStringLiteral(";;") + tr("All files (*)"));
}

void SourceForm::useSource(const QString& type, const QString& file)
{
    edit(tr("change the source"), {}, [&](WorkloadSpec& w) {
        const SourceSpec before = w.source;
        const bool same_file = before.path == file.toStdString();
        w.source = {};
        w.source.type = type.toStdString();
        if (hasFile(w.source.type)) w.source.path = file.toStdString();
        if (same_file) w.source.time_unit = w.source.type == "dataset" ? std::string() : before.time_unit;
        if (type == QLatin1String("synthetic")) {
            w.source.prompt_tokens = typicalDistribution(Distribution::Kind::Lognormal, 160);
            w.source.output_tokens = typicalDistribution(Distribution::Kind::Lognormal, 160);
            if (!w.requests) w.requests = k_made_requests;
        }
        if (type == QLatin1String("trace") && before.type != "trace")
            w.arrivals = {.process = "trace"};
        else if (type != QLatin1String("trace") && type != QLatin1String("file") &&
                 w.arrivals.process == "trace")
            w.arrivals = {}; // no times to replay
    });
}

void SourceForm::follow(const WorkloadSpec& w)
{
    const QSignalBlocker quiet[] = {QSignalBlocker(m_requests), QSignalBlocker(m_seed),
                                    QSignalBlocker(m_speed)};
    m_requests->setValue(w.requests.value_or(0));
    m_seed->setValue(static_cast<int>(std::min<std::uint64_t>(w.seed, 2147483647)));
    m_speed->setValue(w.source.speed);
    selectData(*m_source, QString::fromStdString(w.source.type));
    selectData(*m_format, QString::fromStdString(w.source.format));
    selectData(*m_unit, QString::fromStdString(w.source.time_unit));
    selectData(*m_turns, QString::fromStdString(w.source.turns));
    selectData(*m_zero, QString::fromStdString(w.source.zero_tokens));
    m_file->setText(QString::fromStdString(w.source.path));
    m_file->setToolTip(m_file->text());
    followFields(w.source);
}

void SourceForm::followFields(const SourceSpec& source)
{
    const std::string& type = source.type;
    const bool timed = type == "file" || type == "trace";
    form().setFieldVisible(m_file_row, hasFile(type));
    form().setFieldVisible(m_format, type == "dataset" || type == "trace");
    form().setFieldVisible(m_unit, timed);
    form().setFieldVisible(m_speed, timed);
    form().setFieldVisible(m_turns, type == "dataset");
    form().setFieldVisible(m_zero, type == "trace");
    for (const Drawn& drawn : m_drawn) {
        form().setFieldVisible(drawn.field, type == "synthetic");
        drawn.field->setValue(source.*drawn.member);
    }
}

void SourceForm::setFacts(const ImportFacts& facts)
{
    const QString chosen = m_format->currentData().toString();
    if (m_format->count() - 1 != static_cast<int>(facts.formats.size()) && !facts.formats.empty()) {
        const QSignalBlocker quiet(m_format);
        while (m_format->count() > 1)
            m_format->removeItem(1);
        for (const auto& [name, title] : facts.formats) {
            m_format->addItem(name, name);
            m_format->setItemData(m_format->count() - 1, title, Qt::ToolTipRole);
        }
        selectData(*m_format, chosen);
    }
    m_format->setItemText(0,
                          facts.format.isEmpty() ? tr("Recognised") : tr("Recognised: %1").arg(facts.format));
    m_unit->setItemText(0, facts.time_unit.isEmpty() ? tr("As proposed")
                                                     : tr("Proposed: %1").arg(facts.time_unit));
}

} // namespace batchscope::widgets
