// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/queue_panel.h"

#include "widgets/look/formats.h"
#include "widgets/look/theme.h"
#include "widgets/panels/length_bar_delegate.h"

#include <QHeaderView>
#include <QLabel>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

namespace batchscope::widgets {
QueuePanel::QueuePanel(SharedSelection& selection, QWidget* parent)
    : PanelBody(tr("Queue"), parent), m_selection(selection), m_model(new QueueModel(this)),
      m_table(new QTableView(this)), m_stack(new QStackedWidget(this)), m_empty(emptyHint({}, this))
{
    m_table->setModel(m_model);
    m_table->setItemDelegateForColumn(QueueModel::PredictedColumn, new LengthBarDelegate(m_table));
    m_table->setAccessibleName(tr("Waiting requests"));
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setShowGrid(false);
    m_table->setTabKeyNavigation(false); // Tab leaves the table, arrows move in it
    m_table->setMouseTracking(true);
    m_table->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn); // its width must not come and go
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->verticalHeader()->setDefaultSectionSize(24);
    auto* header = m_table->horizontalHeader();
    header->setHighlightSections(false);
    header->setSectionResizeMode(QHeaderView::Fixed);
    header->setSectionResizeMode(QueueModel::PredictedColumn, QHeaderView::Stretch);
    header->resizeSection(QueueModel::RequestColumn, 68);
    header->resizeSection(QueueModel::AgeColumn, 60);
    header->resizeSection(QueueModel::MovedColumn, 60);
    m_stack->addWidget(m_empty);
    m_stack->addWidget(m_table);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 2);
    layout->addWidget(m_stack);
    connect(m_table, &QTableView::entered, this,
            [this](const QModelIndex& at) { m_selection.hover(at.data(QueueModel::RequestRole).toUInt()); });
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& at) {
                if (!m_selecting && at.isValid()) m_selection.pin(at.data(QueueModel::RequestRole).toUInt());
            });
    connect(&m_selection, &SharedSelection::changed, this, &QueuePanel::select);
    setRun(nullptr);
}

void QueuePanel::setRun(const RunData* run)
{
    m_run = run;
    m_decision = 1;
    m_model->clear();
    if (!run) {
        setNote({});
        m_empty->setText(tr("Requests that wait appear here in the order they would be served."));
        m_stack->setCurrentWidget(m_empty);
    }
    refresh();
    if (run && run->ended()) setDecision(1);
}

void QueuePanel::setDecision(std::int64_t number)
{
    m_decision = number;
    if (!m_run || !m_run->ended() || !isVisible()) return;
    const auto& decisions = m_run->queue().decisions();
    const bool known = number >= 1 && number <= static_cast<std::int64_t>(decisions.size());
    show(m_run->queueBefore(number),
         known ? decisions[static_cast<std::size_t>(number - 1)].at_ns : m_run->now(),
         tr("before decision %1").arg(count(number)));
    if (known) { // the one that goes next is what the decision is about
        const int row = m_model->rowOf(decisions[static_cast<std::size_t>(number - 1)].request());
        if (row >= 0) m_table->scrollTo(m_model->index(row, 0), QAbstractItemView::PositionAtCenter);
    }
}

void QueuePanel::refresh()
{
    if (!m_run || !isVisible()) return;
    if (!m_run->ended())
        show(m_run->queue(), m_run->now(), m_run->orderTitle());
    else if (m_model->rowCount() == 0)
        setDecision(m_decision);
}

void QueuePanel::show(const QueueView& queue, Nanos now, const QString& when)
{
    m_model->update(queue.waiting(), now);
    setNote(tr("%1 waiting · %2").arg(count(static_cast<std::int64_t>(queue.size())), when));
    m_empty->setText(tr("Nobody waits."));
    m_stack->setCurrentWidget(m_model->rowCount() > 0 ? static_cast<QWidget*>(m_table) : m_empty);
    select();
}

void QueuePanel::select()
{
    const auto shown = m_selection.pinned();
    const int row = shown ? m_model->rowOf(*shown) : -1;
    m_selecting = true;
    if (row >= 0)
        m_table->selectRow(row);
    else
        m_table->clearSelection();
    m_selecting = false;
}

} // namespace batchscope::widgets
