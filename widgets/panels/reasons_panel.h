// SPDX-License-Identifier: GPL-3.0-or-later
// Why the compared runs differ: one line a run, in the words of sessions/.
#pragma once

#include "sessions/report.h"
#include "widgets/look/panel.h"

#include <QStringList>
#include <vector>

namespace batchscope::widgets {

class ReasonsPanel : public PanelBody
{
    Q_OBJECT

public:
    explicit ReasonsPanel(QWidget* parent = nullptr);
    // `orders`: identity of each run, the baseline first.
    void setComparison(const sessions::Comparison& comparison, const std::vector<int>& orders);
    QStringList lines() const { return m_texts; }

private:
    void addLoad(const sessions::Comparison& comparison, const std::vector<int>& orders);
    void addLine(const QString& text, int order);
    QVBoxLayout* m_lines;
    QLabel* m_hint;
    QStringList m_texts;
};

} // namespace batchscope::widgets
