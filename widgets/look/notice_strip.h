// SPDX-License-Identifier: GPL-3.0-or-later
// News from background work, one line over the page instead of a box that stops the work. The same text twice
// is counted, not stacked.
#pragma once

#include <QFrame>

class QLabel;

namespace batchscope::widgets {

class NoticeStrip : public QFrame
{
    Q_OBJECT

public:
    explicit NoticeStrip(QWidget* parent = nullptr);
    void tell(const QString& text, bool warning);
    void clear();
    QString text() const;
    int times() const { return m_times; }

private:
    QLabel* m_label;
    QString m_text;
    int m_times = 0;
};

} // namespace batchscope::widgets
