// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/look/panel.h"
#include "widgets/models/run_data.h"

class QStackedWidget;

namespace batchscope::widgets {

class ThroughputView;

class ThroughputPanel : public PanelBody
{
    Q_OBJECT

public:
    explicit ThroughputPanel(QWidget* parent = nullptr);
    void setRun(const RunData* run);
    void refresh();
    ThroughputView& view() { return *m_view; }

private:
    void tell();
    ThroughputView* m_view;
    QStackedWidget* m_stack;
    const RunData* m_run = nullptr;
};

} // namespace batchscope::widgets
