// SPDX-License-Identifier: GPL-3.0-or-later
// Progress of the run and one line of news.
#pragma once

#include <QStatusBar>

class QLabel;
class QProgressBar;

namespace batchscope::window {

struct Progress;

class StatusLine : public QStatusBar
{
    Q_OBJECT

public:
    explicit StatusLine(QWidget* parent = nullptr);
    void showProgress(const Progress& progress, const QString& phase, bool running, bool paused);
    void tell(const QString& text);
    QString progressText() const;

private:
    QLabel *m_run, *m_text, *m_news;
    QProgressBar* m_bar;
};

} // namespace batchscope::window
