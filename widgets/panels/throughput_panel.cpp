// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/throughput_panel.h"

#include "widgets/look/formats.h"
#include "widgets/look/theme.h"
#include "widgets/plots/throughput_view.h"

#include <QLabel>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace batchscope::widgets {

ThroughputPanel::ThroughputPanel(QWidget* parent)
    : PanelBody(tr("Throughput"), parent), m_view(new ThroughputView(this)), m_stack(new QStackedWidget(this))
{
    m_stack->addWidget(
        emptyHint(tr("Useful over wasted tokens per second, the queue and the occupied slots over the "
                     "run's time."),
                  this));
    m_stack->addWidget(m_view);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(k_gap_s, k_gap_s, k_gap_s, k_gap_s);
    layout->addWidget(m_stack);
}

void ThroughputPanel::setRun(const RunData* run)
{
    m_run = run;
    m_stack->setCurrentIndex(run ? 1 : 0);
    m_view->setStrip(run ? &run->strip() : nullptr, run && run->ended());
    tell();
}

void ThroughputPanel::refresh()
{
    if (!m_run) return;
    m_view->refresh(m_run->ended());
    tell();
}

void ThroughputPanel::tell()
{
    if (!m_run) {
        setNote({});
        return;
    }
    // The whole run's mean once it is known, the last bucket's while it runs.
    const auto& metrics = m_run->record().metrics;
    if (metrics && metrics->output_token_throughput)
        setNote(tr("%1 useful tokens/s over the run").arg(number(*metrics->output_token_throughput, 0)));
    else
        setNote(tr("tokens/s: useful over padding over abandoned"));
}

} // namespace batchscope::widgets
