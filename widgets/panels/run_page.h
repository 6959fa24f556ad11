// SPDX-License-Identifier: GPL-3.0-or-later
// The Run perspective: one run live, or a stored one through the same views.
#pragma once

#include "widgets/models/run_set.h"
#include "widgets/models/shared_selection.h"
#include "widgets/panels/dock_page.h"
#include "widgets/panels/request_text.h"

class QTabBar;

namespace batchscope::widgets {

class MapPanel;
class QueuePanel;
class RequestPanel;
class ThroughputPanel;
class WhyPanel;

class RunPage : public DockPage
{
    Q_OBJECT

public:
    explicit RunPage(QWidget* parent = nullptr);
    void setRuns(RunSet* runs); // must outlive the page or be replaced; nullptr: the empty page
    RunSet* runs() const { return m_runs; }
    void setDecoder(const Decoder& decoder);
    void refresh(); // one frame: every visible view once
    void showRun(int index);
    int shownRun() const { return m_shown; }

    MapPanel& map() { return *m_map; }
    QueuePanel& queue() { return *m_queue; }
    WhyPanel& why() { return *m_why; }
    ThroughputPanel& throughput() { return *m_throughput; }
    SharedSelection& selection() { return *m_selection; }

private:
    void addTab(int index);
    RunSet* m_runs = nullptr;
    SharedSelection* m_selection;
    QTabBar* m_tabs;
    MapPanel* m_map;
    QueuePanel* m_queue;
    WhyPanel* m_why;
    RequestPanel* m_request;
    ThroughputPanel* m_throughput;
    int m_shown = -1;
    bool m_was_ended = false;
};

} // namespace batchscope::widgets
