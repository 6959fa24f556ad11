// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compose/workload_panel.h"

#include "scheduler/metrics/metrics.h"
#include "widgets/compose/arrivals_form.h"
#include "widgets/compose/lengths_form.h"
#include "widgets/compose/source_form.h"
#include "widgets/look/formats.h"
#include "widgets/look/scroll_column.h"
#include "widgets/look/theme.h"
#include "widgets/plots/histogram_view.h"

#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>

namespace batchscope::widgets {
namespace {

constexpr int k_tallest_preview = 180;
constexpr double k_hardly_any_wait = 0.7; // of the capacity: queues are short below it
constexpr double k_queue_builds = 1.05;   // what a short simulation can tell apart from 1

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

QString rateText(double rate) // "0.04/s", "4.1/s", "120/s"
{
    return WorkloadPanel::tr("%1/s").arg(number(rate, rate < 0.1 ? 3 : rate < 1 ? 2 : rate < 100 ? 1 : 0));
}

QString lengthsOrigin(const sessions::SessionDocument& document)
{
    const auto& mode = document.workload.lengths.mode;
    if (mode == LengthMode::Drawn) return WorkloadPanel::tr("drawn");
    if (mode == LengthMode::Fixed) return WorkloadPanel::tr("fixed");
    return document.workload.source.type == "synthetic" ? WorkloadPanel::tr("drawn")
                                                        : WorkloadPanel::tr("recorded");
}

} // namespace

QString loadText(const WorkloadFacts& facts, const sessions::SessionDocument& document)
{
    const LoadFacts& load = facts.load;
    const ArrivalSpec& arrivals = document.workload.arrivals;
    if (!facts.known || !facts.error.isEmpty() || facts.prompt_tokens.empty()) return {};
    const QString served =
        load.capacity
            ? WorkloadPanel::tr("“%1” serves about %2 here.").arg(load.strategy, rateText(*load.capacity))
            : WorkloadPanel::tr("How much is served here, a first run tells.");
    if (arrivals.process == "closed-loop")
        return counted(arrivals.clients, WorkloadPanel::tr("1 client: never more than 1 request in flight."),
                       WorkloadPanel::tr("%1 clients: never more than as many requests in flight.")) +
               QLatin1Char(' ') + served;
    if (!load.rate)
        return WorkloadPanel::tr("All arrive at once: everybody waits, so order matters from the start. ") +
               served;
    if (!load.capacity) return WorkloadPanel::tr("%1 arrive. ").arg(rateText(*load.rate)) + served;
    const double rho = *load.rate / *load.capacity;
    const QString meaning = rho >= k_queue_builds ? WorkloadPanel::tr("a queue will build, so order matters")
                            : rho >= k_hardly_any_wait
                                ? WorkloadPanel::tr("queues come and go, and order matters while they last")
                                : WorkloadPanel::tr("hardly anybody waits, so order hardly matters");
    return WorkloadPanel::tr("ρ ≈ %1 of what “%2” can serve here (%3 of %4): %5.")
        .arg(number(rho, rho < 0.1 ? 2 : 1), load.strategy, rateText(*load.rate), rateText(*load.capacity),
             meaning);
}

QString importText(const WorkloadFacts& facts)
{
    const ImportFacts& import = facts.import;
    QStringList lines;
    if (!import.title.isEmpty()) {
        lines << WorkloadPanel::tr("%1: %2").arg(import.title, import.why);
        lines << WorkloadPanel::tr("%1 rows read, %2 skipped").arg(count(import.rows), count(import.skipped));
        if (!import.times.isEmpty()) lines << WorkloadPanel::tr("times in %1").arg(import.times);
    }
    lines << facts.notes;
    if (!import.unknown_columns.isEmpty())
        lines << WorkloadPanel::tr("not read: %1").arg(import.unknown_columns.join(QStringLiteral(", ")));
    for (const QString& row : import.skipped_rows)
        lines << WorkloadPanel::tr("skipped %1").arg(row);
    if (import.skipped > import.skipped_rows.size())
        lines << WorkloadPanel::tr("and %1 more").arg(count(import.skipped - import.skipped_rows.size()));
    return lines.join(QLatin1Char('\n'));
}

WorkloadPanel::WorkloadPanel(SessionEditor& editor, QWidget* parent)
    : PanelBody(tr("Workload"), parent), m_editor(editor), m_source(new SourceForm(editor, this)),
      m_error(readableLabel(this)), m_load(readableLabel(this)), m_import(readableLabel(this)),
      m_output_section(new Section(tr("Output length"), this)),
      m_prompt_section(new Section(tr("Prompt length"), this)),
      m_arrival_section(new Section(tr("Arrivals"), this)),
      m_load_section(new Section(tr("Offered load"), this)),
      m_import_section(new Section(tr("Import"), this)),
      m_prompts(new HistogramView(tr("Prompt lengths"), tr("prompt tokens"), true, this)),
      m_outputs(new HistogramView(tr("Output lengths"), tr("output tokens"), true, this)),
      m_arrival_times(new HistogramView(tr("Arrivals"), tr("seconds"), false, this))
{
    QVBoxLayout* column = makeScrollColumn(*this);
    column->setContentsMargins(0, 0, 0, k_gap_m);
    column->setSpacing(k_gap_s);
    auto* forms = new QVBoxLayout;
    forms->setContentsMargins(k_gap_l, k_gap_l, k_gap_l, k_gap_m);
    forms->setSpacing(k_gap_m);
    forms->addWidget(m_source);
    forms->addWidget(new ArrivalsForm(editor, this));
    forms->addWidget(new LengthsForm(editor, this));
    setStyleFlag(m_error, "warn", true);
    forms->addWidget(m_error);
    column->addLayout(forms);
    m_output_section->body()->addWidget(m_outputs);
    m_prompt_section->body()->addWidget(m_prompts);
    m_arrival_section->body()->addWidget(m_arrival_times);
    m_load_section->body()->addWidget(m_load);
    m_import_section->body()->addWidget(m_import);
    setStyleFlag(m_import, "muted", true);
    column->addWidget(m_load_section); // what is read first; a low window need not be scrolled for it
    column->addWidget(m_import_section);
    for (Section* section : {m_output_section, m_prompt_section, m_arrival_section})
        column->addWidget(section);
    for (HistogramView* view : {m_outputs, m_prompts, m_arrival_times})
        view->setMaximumHeight(k_tallest_preview);
    column->addStretch(1);
    setFacts({});
}

void WorkloadPanel::setFacts(const WorkloadFacts& facts)
{
    const auto n = static_cast<std::int64_t>(facts.prompt_tokens.size());
    setNote(!facts.known ? tr("reading…") : counted(n, tr("1 request"), tr("%1 requests")));
    m_error->setText(facts.error);
    m_error->setVisible(!facts.error.isEmpty());
    m_source->setFacts(facts.import);
    showLengths(facts);
    showArrivals(facts);
    showImport(facts);
}

void WorkloadPanel::showLengths(const WorkloadFacts& facts)
{
    m_outputs->setValues(asReals(facts.output_tokens));
    m_output_section->setVisible(!facts.output_tokens.empty());
    if (!facts.output_tokens.empty())
        m_output_section->setNote(
            tr("%1, %2").arg(lengthsOrigin(m_editor.document()), spread(facts.output_tokens)));
    m_prompts->setValues(asReals(facts.prompt_tokens));
    m_prompt_section->setVisible(!facts.prompt_tokens.empty());
    if (!facts.prompt_tokens.empty())
        m_prompt_section->setNote(spread(facts.prompt_tokens) + facts.counted_by);
}

void WorkloadPanel::showArrivals(const WorkloadFacts& facts)
{
    const auto last = std::max_element(facts.arrivals_s.begin(), facts.arrivals_s.end());
    const bool spread_out = last != facts.arrivals_s.end() && *last > 0;
    m_arrival_section->setVisible(spread_out);
    m_arrival_times->setValues(facts.arrivals_s);
    if (spread_out && facts.load.rate) {
        const auto& asked = m_editor.document().workload.arrivals.rate;
        const QString drawn = tr("%1 drawn").arg(rateText(*facts.load.rate));
        m_arrival_section->setNote(asked ? tr("%1 asked, %2").arg(rateText(*asked), drawn) : drawn);
    }
    const QString load = loadText(facts, m_editor.document());
    m_load->setText(load);
    m_load_section->setVisible(!load.isEmpty());
}

void WorkloadPanel::showImport(const WorkloadFacts& facts)
{
    const std::string& type = m_editor.document().workload.source.type;
    const bool tells = (type != "demo" || facts.import.skipped > 0) && facts.known;
    const QString text = tells ? importText(facts) : QString();
    m_import->setText(text);
    m_import_section->setNote(facts.import.skipped > 0 ? tr("%1 skipped").arg(count(facts.import.skipped))
                                                       : QString());
    m_import_section->setVisible(!text.isEmpty());
}

} // namespace batchscope::widgets
