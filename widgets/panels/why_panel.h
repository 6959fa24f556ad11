// SPDX-License-Identifier: GPL-3.0-or-later
// Why the last pick (or the chosen one) was made, in the words of the log.
#pragma once

#include "widgets/look/panel.h"
#include "widgets/models/run_data.h"

class QToolButton;

namespace batchscope::widgets {

class WhyPanel : public PanelBody
{
    Q_OBJECT

public:
    explicit WhyPanel(QWidget* parent = nullptr);
    void setRun(const RunData* run);
    void setDecision(std::int64_t number); // from 1; stays there until following again
    void showRequest(RequestIndex request);
    void refresh();
    std::int64_t decision() const { return m_number; }
    QString text() const;

Q_SIGNALS:
    void decisionChosen(qint64 number);

private:
    void tell();
    QLabel *m_first, *m_rest;
    QToolButton *m_previous, *m_next, *m_latest;
    const RunData* m_run = nullptr;
    std::int64_t m_number = 0;
    bool m_follow = true;
};

} // namespace batchscope::widgets
