// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/status_line.h"

#include "app/window/run_controller.h"
#include "widgets/look/elided_label.h"
#include "widgets/look/formats.h"
#include "widgets/look/panel.h"

#include <QLabel>
#include <QProgressBar>

namespace batchscope::window {

StatusLine::StatusLine(QWidget* parent)
    : QStatusBar(parent), m_run(new QLabel(this)), m_text(new widgets::ElidedLabel(this)),
      m_news(new widgets::ElidedLabel(this)), m_bar(new QProgressBar(this))
{
    setSizeGripEnabled(false);
    setFixedHeight(28);
    setContentsMargins(8, 0, 8, 0);
    m_bar->setFixedWidth(220);
    m_bar->setTextVisible(false);
    m_bar->setRange(0, 1000);
    m_bar->setAccessibleName(tr("Progress of the run"));
    m_bar->hide();
    for (QLabel* label : {m_run, m_text, m_news})
        widgets::setStyleFlag(label, "muted", true);
    m_news->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    addWidget(m_run);
    addWidget(m_bar);
    addWidget(m_text, 3);
    addPermanentWidget(m_news, 2);
}

void StatusLine::showProgress(const Progress& p, const QString& phase, bool running, bool paused)
{
    m_bar->setVisible(running);
    if (running) m_bar->setRange(0, p.fraction < 0 ? 0 : 1000); // 0...0: busy, nobody knows how long
    if (p.fraction >= 0) m_bar->setValue(static_cast<int>(p.fraction * 1000));
    m_run->setText(running && p.run > 0 && p.runs > 1 ? tr("Run %1 of %2").arg(p.run).arg(p.runs)
                                                      : QString());
    m_run->setVisible(!m_run->text().isEmpty());
    QStringList parts;
    if (p.run == 0 || !running) parts << phase;
    if (paused) parts << tr("paused");
    if (p.requests > 0)
        parts << tr("%1 of %2 requests").arg(widgets::count(p.done), widgets::count(p.requests));
    if (p.run > 0 || running) parts << tr("%1 spent").arg(widgets::duration(p.spent_s));
    if (p.remaining_s) parts << tr("about %1 left").arg(widgets::duration(*p.remaining_s));
    m_text->setText(parts.join(QStringLiteral(" · ")));
}

void StatusLine::tell(const QString& text)
{
    m_news->setText(text);
}

QString StatusLine::progressText() const
{
    return m_text->text();
}

} // namespace batchscope::window
