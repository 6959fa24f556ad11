// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/why_panel.h"

#include "widgets/look/formats.h"
#include "widgets/look/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

namespace batchscope::widgets {
namespace {

QToolButton* button(const QString& text, const QString& name, QWidget* parent)
{
    auto* tool = new QToolButton(parent);
    tool->setObjectName(QStringLiteral("flat"));
    tool->setText(text);
    tool->setToolTip(name);
    tool->setAccessibleName(name);
    tool->setAutoRepeat(true);
    return tool;
}

} // namespace

WhyPanel::WhyPanel(QWidget* parent)
    : PanelBody(tr("Why"), parent), m_first(strongLabel({}, this)), m_rest(mutedLabel({}, this)),
      m_previous(button(QStringLiteral("◀"), tr("Previous decision"), this)),
      m_next(button(QStringLiteral("▶"), tr("Next decision"), this)),
      m_latest(button(tr("Latest"), tr("Follow the latest decision"), this))
{
    for (QLabel* label : {m_first, m_rest}) {
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    }
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(k_gap_l, k_gap_m, k_gap_l, k_gap_s);
    layout->setSpacing(k_gap_s);
    layout->addWidget(m_first);
    layout->addWidget(m_rest, 1); // takes what is left, so that a longer text is never cut
    m_rest->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    auto* row = new QHBoxLayout;
    row->setSpacing(k_gap_s);
    row->addWidget(m_previous);
    row->addWidget(m_next);
    row->addWidget(m_latest);
    row->addStretch(1);
    layout->addLayout(row);
    connect(m_previous, &QToolButton::clicked, this, [this] { setDecision(m_number - 1); });
    connect(m_next, &QToolButton::clicked, this, [this] { setDecision(m_number + 1); });
    connect(m_latest, &QToolButton::clicked, this, [this] {
        m_follow = true;
        refresh();
    });
    tell();
}

void WhyPanel::setRun(const RunData* run)
{
    m_run = run;
    m_follow = true;
    m_number = 0;
    if (run && run->ended() && !run->queue().decisions().empty())
        setDecision(1);
    else
        refresh();
}

void WhyPanel::setDecision(std::int64_t number)
{
    if (!m_run || m_run->queue().decisions().empty()) return;
    m_number =
        std::clamp<std::int64_t>(number, 1, static_cast<std::int64_t>(m_run->queue().decisions().size()));
    m_follow = false;
    tell();
    Q_EMIT decisionChosen(m_number);
}

void WhyPanel::showRequest(RequestIndex request)
{
    if (!m_run) return;
    const auto& decisions = m_run->queue().decisions();
    const auto it = std::find_if(decisions.begin(), decisions.end(),
                                 [request](const Decision& d) { return d.request() == request; });
    if (it != decisions.end()) setDecision(it->number);
}

void WhyPanel::refresh()
{
    if (m_run && m_follow) {
        const auto newest = static_cast<std::int64_t>(m_run->queue().decisions().size());
        if (newest == m_number && newest > 0) return;
        m_number = newest;
    }
    tell();
}

void WhyPanel::tell()
{
    const auto all = m_run ? static_cast<std::int64_t>(m_run->queue().decisions().size()) : 0;
    m_previous->setEnabled(m_number > 1);
    m_next->setEnabled(m_number < all);
    m_latest->setEnabled(all > 0 && !m_follow);
    if (m_number < 1 || m_number > all) {
        setNote({});
        m_first->hide();
        m_rest->setText(
            tr("Each pick is explained here: its key, who came next in the order, and who was passed over."));
        return;
    }
    const Decision& decision = m_run->queue().decisions()[static_cast<std::size_t>(m_number - 1)];
    setNote(
        tr("decision %1 of %2 · %3").arg(count(m_number), count(all), seconds(toSeconds(decision.at_ns))));
    const QString text = QString::fromStdString(explain(decision));
    const qsizetype end = text.indexOf(QLatin1String(". "));
    m_first->show();
    m_first->setText(end < 0 ? text : text.left(end + 1));
    m_rest->setText(end < 0 ? QString() : text.mid(end + 2));
}

QString WhyPanel::text() const
{
    return m_first->text() + QLatin1Char(' ') + m_rest->text();
}

} // namespace batchscope::widgets
