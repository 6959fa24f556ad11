// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/verdict_card.h"

#include "widgets/look/formats.h"
#include "widgets/look/panel.h"
#include "widgets/look/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>

namespace batchscope::widgets {
namespace {

QString sameFacts(const sessions::Comparison& comparison)
{
    QStringList facts{VerdictCard::tr("same workload, lengths, sampling, model, device, delivery")};
    double least = 1.0;
    bool known = false;
    for (std::size_t i = 1; i < comparison.output_agreement.size(); ++i)
        if (comparison.output_agreement[i]) {
            least = std::min(least, *comparison.output_agreement[i]);
            known = true;
        }
    if (known) facts << VerdictCard::tr("identical outputs: %1").arg(percent(least, least < 1 ? 1 : 0));
    if (!comparison.facts.empty())
        facts
            << VerdictCard::tr("%1 useful tokens").arg(count(comparison.facts.front().useful_output_tokens));
    return facts.join(QStringLiteral(" · "));
}

} // namespace

Comparability comparabilityOf(const sessions::Comparison& comparison)
{
    QStringList lines;
    for (std::size_t i = 1; i < comparison.names.size() && i < comparison.differences.size(); ++i) {
        QStringList parts;
        for (const Difference& d : comparison.differences[i])
            parts << VerdictCard::tr("%1: %2 against %3")
                         .arg(QString::fromStdString(d.what), QString::fromStdString(d.other),
                              QString::fromStdString(d.baseline));
        if (!parts.isEmpty())
            lines << QString::fromStdString(comparison.names[i]) + QStringLiteral(": ") +
                         parts.join(QStringLiteral(", "));
    }
    if (lines.isEmpty()) return {true, sameFacts(comparison)};
    return {false, lines.join(QStringLiteral(" · "))};
}

VerdictCard::VerdictCard(QWidget* parent)
    : QFrame(parent), m_headline(readableLabel(this)), m_verdict(new QLabel(this)),
      m_differences(readableLabel(this))
{
    setObjectName(QStringLiteral("card"));
    setAccessibleName(tr("What the comparison comes to"));
    m_headline->setObjectName(QStringLiteral("headline"));
    setStyleFlag(m_differences, "muted", true);
    m_verdict->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(k_gap_l, k_gap_m, k_gap_l, k_gap_m);
    column->setSpacing(k_gap_s);
    column->addWidget(m_headline);
    auto* row = new QHBoxLayout;
    row->setSpacing(k_gap_m);
    row->addWidget(m_verdict);
    row->addWidget(m_differences, 1);
    column->addLayout(row);
}

void VerdictCard::setComparison(const sessions::Comparison& comparison)
{
    m_headline->setText(QString::fromStdString(comparison.headline));
    const Comparability c = comparabilityOf(comparison);
    m_verdict->setText(c.same ? tr("✓ Comparable") : tr("! Differs"));
    setStyleFlag(m_verdict, "good", c.same);
    setStyleFlag(m_verdict, "warn", !c.same);
    m_differences->setText(c.details);
}

QString VerdictCard::headline() const
{
    return m_headline->text();
}

QString VerdictCard::comparability() const
{
    return m_verdict->text() + QLatin1Char(' ') + m_differences->text();
}

} // namespace batchscope::widgets
