// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/request_panel.h"

#include "scheduler/metrics/metrics.h"
#include "widgets/look/formats.h"
#include "widgets/look/theme.h"

#include <QGridLayout>
#include <QLabel>
#include <QScrollBar>
#include <QStackedWidget>
#include <QTextBrowser>
#include <QVBoxLayout>
#include <array>

namespace batchscope::widgets {
namespace {

struct Line
{
    const char* title;
    const char* metric; // whose formula is the tool-tip; empty: none
};
constexpr std::array<Line, 7> k_lines{
    {{QT_TRANSLATE_NOOP("batchscope::widgets::RequestPanel", "predicted / output"), ""},
     {QT_TRANSLATE_NOOP("batchscope::widgets::RequestPanel", "steps"), ""},
     {QT_TRANSLATE_NOOP("batchscope::widgets::RequestPanel", "arrival"), ""},
     {QT_TRANSLATE_NOOP("batchscope::widgets::RequestPanel", "queueing delay"), "queueing_delay_s.mean"},
     {QT_TRANSLATE_NOOP("batchscope::widgets::RequestPanel", "TTFT"), "ttft_s.mean"},
     {QT_TRANSLATE_NOOP("batchscope::widgets::RequestPanel", "TPOT"), "tpot_s.mean"},
     {QT_TRANSLATE_NOOP("batchscope::widgets::RequestPanel", "JCT"), "e2el_s.mean"}}};

std::optional<double> between(const std::optional<Nanos>& from, const std::optional<Nanos>& to)
{
    return from && to ? std::optional(toSeconds(*to - *from)) : std::nullopt;
}

QString state(const RequestFigures& f)
{
    if (!f.end) return f.scheduled_ns ? RequestPanel::tr("decoding") : RequestPanel::tr("waiting");
    const QString tokens =
        counted(f.output_tokens, RequestPanel::tr("1 token"), RequestPanel::tr("%1 tokens"));
    switch (*f.end) {
    case RowEnd::Eos:
        return RequestPanel::tr("done, %1").arg(tokens);
    case RowEnd::Length:
        return RequestPanel::tr("done, %1 as set").arg(tokens);
    case RowEnd::Cap:
        return RequestPanel::tr("stopped at the cap, %1").arg(tokens);
    case RowEnd::Limit:
        return RequestPanel::tr("cut at its predicted limit, waits");
    case RowEnd::Failed:
        return RequestPanel::tr("failed after %1").arg(tokens);
    case RowEnd::Cancelled:
        return RequestPanel::tr("cancelled after %1").arg(tokens);
    }
    return {};
}

} // namespace

RequestPanel::RequestPanel(SharedSelection& selection, QWidget* parent)
    : PanelBody(tr("Request"), parent), m_selection(selection), m_stack(new QStackedWidget(this)),
      m_text(new QTextBrowser(this))
{
    m_text->setFrameShape(QFrame::NoFrame);
    m_text->setAccessibleName(tr("Prompt and answer"));
    m_text->document()->setDocumentMargin(0);
    auto* page = new QWidget(this);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(k_gap_l, k_gap_m, k_gap_l, k_gap_m);
    column->setSpacing(k_gap_m);
    column->addWidget(m_text, 1);
    auto* line = new QFrame(page);
    line->setObjectName(QStringLiteral("line"));
    line->setFixedHeight(1);
    column->addWidget(line);
    auto* grid = new QGridLayout;
    grid->setVerticalSpacing(k_gap_s);
    grid->setColumnStretch(1, 1);
    int row = 0;
    for (const Line& entry : k_lines) {
        QLabel* title = mutedLabel(tr(entry.title), page);
        auto* value = new QLabel(page);
        value->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        if (const MetricDefinition* metric = findMetric(entry.metric)) {
            title->setToolTip(QString::fromStdString(metric->formula));
            value->setToolTip(QString::fromStdString(metric->formula));
        }
        grid->addWidget(title, row, 0);
        grid->addWidget(value, row++, 1);
        m_values.push_back(value);
    }
    column->addLayout(grid);
    m_stack->addWidget(
        emptyHint(tr("Point at the padding map or at the queue to read a request: its prompt, its "
                     "answer as it comes, and where its time went. A click keeps it here."),
                  this));
    m_stack->addWidget(page);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_stack);
    connect(&m_selection, &SharedSelection::changed, this, &RequestPanel::refresh);
}

void RequestPanel::setRun(const RunData* run)
{
    m_run = run;
    m_shown.clear();
    refresh();
}

QString RequestPanel::conversation(RequestIndex request) const
{
    const Tokens& t = tokens();
    const QString label = QStringLiteral("<span style=\"color:%1\">%2</span> ");
    QString html = QStringLiteral("<p>") + label.arg(t.muted.name(), tr("USER"));
    const auto& requests = m_run->requests();
    const bool known = request < requests.size();
    if (known && !requests[request].prompt.empty())
        html += QString::fromStdString(requests[request].prompt)
                    .toHtmlEscaped()
                    .replace(QLatin1Char('\n'), QLatin1String("<br>"));
    else
        html += tr("no text was kept for this prompt").toHtmlEscaped();
    html += QStringLiteral("</p><p>") + label.arg(t.muted.name(), tr("ASSISTANT"));
    const auto* ids = m_run->output(request);
    QString answer = ids && m_decoder ? m_decoder(*ids) : QString();
    if (!answer.isEmpty())
        html += answer.toHtmlEscaped().replace(QLatin1Char('\n'), QLatin1String("<br>"));
    else if (ids && !ids->empty())
        html += tr("tokens: %1; their text needs the model's tokenizer").arg(ids->size());
    else if (!m_run->record().provenance.measured)
        html += label.arg(t.muted.name(), tr("simulated: lengths only, no text"));
    const RequestFigures* f = m_run->figures(request);
    if (f && !f->end && f->scheduled_ns && !m_run->ended())
        html += QStringLiteral("<span style=\"color:%1\">▌</span>").arg(t.accent.name());
    return html + QStringLiteral("</p>");
}

void RequestPanel::tellTimes(const RequestFigures* f)
{
    if (!f) {
        for (QLabel* label : m_values)
            label->setText(none());
        return;
    }
    std::optional<double> tpot;
    if (f->output_tokens > 1)
        if (const auto span = between(f->first_token_ns, f->last_token_ns))
            tpot = *span / (f->output_tokens - 1);
    const QString predicted = f->predicted_tokens ? QString::number(*f->predicted_tokens) : none();
    const std::array<QString, k_lines.size()> texts{
        predicted + QStringLiteral(" / ") + (f->end ? QString::number(f->output_tokens) : none()),
        f->delivered_steps > 0 ? count(f->delivered_steps) : none(),
        seconds(toSeconds(f->arrival_ns)),
        seconds(between(f->arrival_ns, f->scheduled_ns)),
        seconds(between(f->arrival_ns, f->first_token_ns)),
        milliseconds(tpot),
        seconds(between(f->arrival_ns, f->completed_ns))};
    for (std::size_t i = 0; i < texts.size(); ++i)
        m_values[i]->setText(texts[i]);
}

void RequestPanel::refresh()
{
    const auto request = m_run ? m_selection.shown() : std::nullopt;
    m_stack->setCurrentIndex(request ? 1 : 0);
    setTitle(request ? tr("Request %1").arg(requestName(*request)) : tr("Request"));
    if (!request) {
        setNote({});
        return;
    }
    if (!isVisible()) return;
    const RequestFigures* f = m_run->figures(*request);
    setNote(f ? state(*f) : tr("not arrived"));
    tellTimes(f);
    const QString html = conversation(*request);
    if (html == m_shown) return;
    m_shown = html;
    QScrollBar* bar = m_text->verticalScrollBar();
    const bool at_end = bar->value() == bar->maximum();
    const int value = bar->value();
    m_text->setHtml(html);
    bar->setValue(at_end && !m_run->ended() ? bar->maximum() : value);
}

} // namespace batchscope::widgets
