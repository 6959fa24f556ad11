// SPDX-License-Identifier: GPL-3.0-or-later
// The runs of the store: search, tick what to compare, choose the baseline, open one, put one in the trash.
#pragma once

#include "widgets/look/panel.h"
#include "widgets/models/run_list_model.h"

class QLineEdit;
class QListView;
class QMenu;
class QSortFilterProxyModel;
class QStackedWidget;
class QToolButton;

namespace batchscope::widgets {

class RunListPanel : public PanelBody
{
    Q_OBJECT

public:
    explicit RunListPanel(RunListModel& model, QWidget* parent = nullptr);
    void follow(); // after the model's runs changed

Q_SIGNALS:
    void openAsked(qint64 run);
    void trashAsked(qint64 run);

private:
    qint64 current() const;
    void buildMenu(QMenu& menu);
    void enableButtons();
    RunListModel& m_model;
    QSortFilterProxyModel* m_found;
    QLineEdit* m_search;
    QListView* m_list;
    QStackedWidget* m_stack;
    QToolButton *m_open, *m_baseline, *m_trash;
};

} // namespace batchscope::widgets
