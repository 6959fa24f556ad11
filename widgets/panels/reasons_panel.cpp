// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/reasons_panel.h"

#include "widgets/look/scroll_column.h"
#include "widgets/look/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <set>

namespace batchscope::widgets {

ReasonsPanel::ReasonsPanel(QWidget* parent)
    : PanelBody(tr("Why"), parent), m_lines(new QVBoxLayout),
      m_hint(emptyHint(tr("What made the difference is told here once two runs are ticked."), this))
{
    QVBoxLayout* column = makeScrollColumn(*this, ColumnOf::Texts);
    column->setContentsMargins(k_gap_l, k_gap_m, k_gap_m, k_gap_m);
    m_lines->setSpacing(k_gap_m);
    column->addWidget(m_hint);
    column->addLayout(m_lines);
    column->addStretch(1);
}

void ReasonsPanel::setComparison(const sessions::Comparison& comparison, const std::vector<int>& orders)
{
    while (QLayoutItem* item = m_lines->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    m_texts = QString::fromStdString(comparison.why).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    m_hint->setVisible(m_texts.isEmpty());
    // A single line may be about all of them: only where there is one for each has it a marker.
    const bool each = static_cast<std::size_t>(m_texts.size()) + 1 == orders.size();
    for (qsizetype i = 0; i < m_texts.size(); ++i)
        addLine(m_texts[i], each ? orders[static_cast<std::size_t>(i) + 1] : -1);
    addLoad(comparison, orders);
}

// What is said of one run is not said again of the next.
void ReasonsPanel::addLoad(const sessions::Comparison& comparison, const std::vector<int>& orders)
{
    std::set<std::string> told;
    for (std::size_t run = 0; run < comparison.load.size() && run < orders.size(); ++run) {
        QStringList sentences;
        for (const std::string& sentence : comparison.load[run])
            if (told.insert(sentence).second) sentences << QString::fromStdString(sentence);
        if (!sentences.isEmpty()) addLine(sentences.join(QLatin1Char(' ')), orders[run]);
    }
}

void ReasonsPanel::addLine(const QString& text, int order)
{
    auto* line = new QWidget(this);
    auto* row = new QHBoxLayout(line);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(k_gap_m);
    auto* marker = new MarkerLabel(line);
    marker->setOrder(order);
    row->addWidget(marker, 0, Qt::AlignTop);
    QLabel* words = readableLabel(line);
    words->setFont(smallerFont(words->font()));
    words->setText(text);
    row->addWidget(words, 1);
    m_lines->addWidget(line);
}

} // namespace batchscope::widgets
