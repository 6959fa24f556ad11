// SPDX-License-Identifier: GPL-3.0-or-later
// What a comparison comes to: the headline, and whether the runs may be compared at all.
#pragma once

#include "sessions/report.h"

#include <QFrame>

class QLabel;

namespace batchscope::widgets {

class VerdictCard : public QFrame
{
    Q_OBJECT

public:
    explicit VerdictCard(QWidget* parent = nullptr);
    void setComparison(const sessions::Comparison& comparison);
    QString headline() const;
    QString comparability() const;

private:
    QLabel *m_headline, *m_verdict, *m_differences;
};

// "comparable", or each of the differences in words.
struct Comparability
{
    bool same = true;
    QString details;
};
Comparability comparabilityOf(const sessions::Comparison& comparison);

} // namespace batchscope::widgets
