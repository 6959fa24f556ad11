// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/run_page.h"

#include "widgets/look/identity.h"
#include "widgets/look/panel.h"
#include "widgets/panels/map_panel.h"
#include "widgets/panels/queue_panel.h"
#include "widgets/panels/request_panel.h"
#include "widgets/panels/throughput_panel.h"
#include "widgets/panels/why_panel.h"

#include <QDockWidget>
#include <QTabBar>
#include <QVBoxLayout>

namespace batchscope::widgets {

RunPage::RunPage(QWidget* parent)
    : DockPage(QStringLiteral("runPage"), parent), m_selection(new SharedSelection(this)),
      m_tabs(new QTabBar(this)), m_map(new MapPanel(*m_selection, this)),
      m_queue(new QueuePanel(*m_selection, this)), m_why(new WhyPanel(this)),
      m_request(new RequestPanel(*m_selection, this)), m_throughput(new ThroughputPanel(this))
{
    setAccessibleName(tr("Run"));
    m_tabs->setAccessibleName(tr("Runs of the session"));
    m_tabs->setExpanding(false);
    m_tabs->setUsesScrollButtons(true);
    m_tabs->setElideMode(Qt::ElideNone); // where they are too many, arrows scroll them
    m_tabs->hide();
    auto* centre = new QWidget(this);
    auto* column = new QVBoxLayout(centre);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    column->addWidget(m_tabs);
    column->addWidget(new Panel(m_map, centre), 1);
    setCentre(centre);
    addPanel(m_queue, QStringLiteral("queueDock"), Qt::LeftDockWidgetArea, 296);
    QDockWidget* why = addPanel(m_why, QStringLiteral("whyDock"), Qt::RightDockWidgetArea, 280);
    QDockWidget* request = addPanel(m_request, QStringLiteral("requestDock"), Qt::RightDockWidgetArea, 280);
    placeBelow(why, 216, request);
    addPanel(m_throughput, QStringLiteral("throughputDock"), Qt::BottomDockWidgetArea, 262);
    connect(m_tabs, &QTabBar::currentChanged, this, &RunPage::showRun);
    connect(m_why, &WhyPanel::decisionChosen, m_queue, &QueuePanel::setDecision);
    connect(m_selection, &SharedSelection::changed, this,
            [this, last = std::optional<RequestIndex>()]() mutable {
                if (m_selection->pinned() == last) return;
                last = m_selection->pinned();
                if (last) m_why->showRequest(*last);
            });
}

void RunPage::setRuns(RunSet* runs)
{
    if (m_runs) m_runs->disconnect(this);
    showRun(-1);
    while (m_tabs->count() > 0)
        m_tabs->removeTab(m_tabs->count() - 1);
    m_runs = runs;
    m_tabs->hide();
    if (!runs) return;
    connect(runs, &RunSet::runAdded, this, &RunPage::addTab);
    connect(runs, &RunSet::cleared, this, [this] {
        showRun(-1);
        while (m_tabs->count() > 0)
            m_tabs->removeTab(m_tabs->count() - 1);
    });
    for (int i = 0; i < runs->size(); ++i)
        addTab(i);
}

void RunPage::addTab(int index)
{
    const sessions::RunRecord& record = m_runs->at(index)->record();
    QString name = QString::fromStdString(record.name);
    if (record.repetition > 0) name += tr(", repetition %1").arg(record.repetition + 1);
    const int tab = m_tabs->addTab(markerIcon(record.order), name);
    m_tabs->setVisible(m_tabs->count() > 1);
    m_tabs->setCurrentIndex(tab); // a run that starts is looked at
    showRun(tab);
}

void RunPage::showRun(int index)
{
    RunData* run = m_runs && index >= 0 ? m_runs->at(index) : nullptr;
    if (run && index == m_shown) return;
    m_shown = run ? index : -1;
    m_was_ended = run && run->ended();
    m_selection->clear();
    if (run && m_tabs->currentIndex() != index) m_tabs->setCurrentIndex(index);
    m_map->setRun(run, run ? m_runs->reference(*run) : nullptr);
    m_queue->setRun(run);
    m_why->setRun(run);
    m_request->setRun(run);
    m_throughput->setRun(run);
}

void RunPage::setDecoder(const Decoder& decoder)
{
    m_map->setDecoder(decoder);
    m_request->setDecoder(decoder);
}

void RunPage::refresh()
{
    if (!isVisible() || m_shown < 0) return;
    const RunData* run = m_runs->at(m_shown);
    m_map->refresh();
    m_queue->refresh();
    m_why->refresh();
    m_request->refresh();
    m_throughput->refresh();
    if (run->ended() && !m_was_ended && !run->queue().decisions().empty()) m_why->setDecision(1);
    m_was_ended = run->ended();
}

} // namespace batchscope::widgets
