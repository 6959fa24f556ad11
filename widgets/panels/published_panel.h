// SPDX-License-Identifier: GPL-3.0-or-later
// What the session of the compared runs repeats from a paper or its code: the published figure, ours, what is
// between them and why.
#pragma once

#include "sessions/published.h"
#include "widgets/look/panel.h"

class QLabel;
class QTableWidget;

namespace batchscope::widgets {

class PublishedPanel : public PanelBody
{
    Q_OBJECT

public:
    explicit PublishedPanel(QWidget* parent = nullptr);
    void setFigures(const std::vector<sessions::Repeated>& figures);
    bool isEmpty() const { return m_texts.empty(); }
    const QTableWidget& table() const { return *m_table; }
    QString reason() const; // of the row that is chosen

private:
    void tellReason();
    QTableWidget* m_table;
    QLabel* m_reason;
    std::vector<sessions::RepeatedTexts> m_texts;
};

} // namespace batchscope::widgets
