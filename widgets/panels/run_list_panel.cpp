// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/run_list_panel.h"

#include "widgets/look/formats.h"
#include "widgets/look/theme.h"
#include "widgets/panels/run_item_delegate.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QSortFilterProxyModel>
#include <QStackedWidget>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

namespace batchscope::widgets {
RunListPanel::RunListPanel(RunListModel& model, QWidget* parent)
    : PanelBody(tr("Runs"), parent), m_model(model), m_found(new QSortFilterProxyModel(this)),
      m_search(new QLineEdit(this)), m_list(new QListView(this)), m_stack(new QStackedWidget(this)),
      m_open(linkButton(tr("Open"), tr("Open this run on the Run page"), this)),
      m_baseline(linkButton(tr("Baseline"), tr("Compare the others with this run"), this)),
      m_trash(linkButton(tr("Trash"), tr("Put this run in the trash"), this))
{
    m_found->setSourceModel(&model);
    m_found->setFilterRole(RunListModel::SearchRole);
    m_found->setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_search->setPlaceholderText(tr("search name, session, device"));
    m_search->setAccessibleName(tr("Search runs"));
    m_search->setClearButtonEnabled(true);
    m_list->setModel(m_found);
    m_list->setItemDelegate(new RunItemDelegate(m_list));
    m_list->setAccessibleName(tr("Stored runs"));
    m_list->setMouseTracking(true);
    m_list->setResizeMode(QListView::Adjust); // heads wrap at the width
    m_list->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_list->setContextMenuPolicy(Qt::CustomContextMenu);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(1, k_gap_m, 1, k_gap_s);
    layout->setSpacing(k_gap_m);
    auto* search_row = new QHBoxLayout;
    search_row->setContentsMargins(k_gap_m, 0, k_gap_m, 0);
    search_row->addWidget(m_search);
    layout->addLayout(search_row);
    m_stack->addWidget(
        emptyHint(tr("No run is stored yet. Press Run (F5): every run is kept here, to be compared and "
                     "opened again."),
                  this));
    m_stack->addWidget(m_list);
    layout->addWidget(m_stack, 1);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(k_gap_m, 0, k_gap_m, 0);
    for (QToolButton* button : {m_open, m_baseline, m_trash})
        row->addWidget(button);
    row->addStretch(1);
    layout->addLayout(row);
    auto* pause = new QTimer(this);
    pause->setSingleShot(true);
    pause->setInterval(300);
    connect(m_search, &QLineEdit::textChanged, pause, qOverload<>(&QTimer::start));
    connect(pause, &QTimer::timeout, this, [this] {
        m_found->setFilterFixedString(m_search->text());
        follow();
    });
    connect(m_open, &QToolButton::clicked, this, [this] { Q_EMIT openAsked(current()); });
    connect(m_trash, &QToolButton::clicked, this, [this] { Q_EMIT trashAsked(current()); });
    connect(m_baseline, &QToolButton::clicked, this, [this] { m_model.setBaseline(current()); });
    connect(m_list, &QListView::activated, this, [this] { Q_EMIT openAsked(current()); });
    connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this,
            &RunListPanel::enableButtons);
    connect(&model, &QAbstractItemModel::modelReset, this, &RunListPanel::follow);
    connect(m_list, &QListView::customContextMenuRequested, this, [this](const QPoint& at) {
        if (current() == 0) return;
        QMenu menu(this);
        buildMenu(menu);
        menu.exec(m_list->viewport()->mapToGlobal(at));
    });
    follow();
}

void RunListPanel::follow()
{
    const int all = m_model.rowCount(), found = m_found->rowCount();
    setNote(found == all ? count(all) : tr("%1 of %2").arg(count(found), count(all)));
    m_stack->setCurrentIndex(all > 0 ? 1 : 0);
    enableButtons();
}

qint64 RunListPanel::current() const
{
    const QModelIndex at = m_list->currentIndex();
    return at.isValid() ? at.data(RunListModel::IdRole).toLongLong() : 0;
}

void RunListPanel::enableButtons()
{
    for (QToolButton* button : {m_open, m_baseline, m_trash})
        button->setEnabled(current() != 0);
}

void RunListPanel::buildMenu(QMenu& menu)
{
    for (QToolButton* button : {m_open, m_baseline, m_trash})
        menu.addAction(button->accessibleName(), button, &QToolButton::click);
}

} // namespace batchscope::widgets
