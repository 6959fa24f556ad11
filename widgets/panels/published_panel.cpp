// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/published_panel.h"

#include "widgets/look/theme.h"

#include <QHeaderView>
#include <QLabel>
#include <QTableWidget>
#include <QVBoxLayout>

namespace batchscope::widgets {
namespace {

constexpr int k_line_height = 22;

struct Column
{
    QString title, meaning;
    std::string sessions::RepeatedTexts::*text;
    bool is_number;
};

std::vector<Column> columns()
{
    using Texts = sessions::RepeatedTexts;
    const auto tr = [](const char* text) { return PublishedPanel::tr(text); };
    return {{tr("Row"), tr("The row of the source"), &Texts::row, false},
            {tr("Figure"), tr("What was measured"), &Texts::figure, false},
            {tr("Published"), tr("As the authors printed it; derived: found by running their code again"),
             &Texts::published, true},
            {tr("Ours"),
             tr("Mean over these runs, with the half width of its 95 % interval where there are several"),
             &Texts::ours, true},
            {tr("Difference"), tr("Ours against the published figure"), &Texts::difference, true},
            {tr("With its quirks"), tr("Ours, doing as the published code does (compat)"),
             &Texts::as_published, true},
            {tr("Difference"), tr("Ours with its quirks against the published figure"),
             &Texts::as_published_difference, true}};
}

} // namespace

PublishedPanel::PublishedPanel(QWidget* parent)
    : PanelBody(tr("What was published"), parent), m_table(new QTableWidget(this)),
      m_reason(mutedLabel({}, this))
{
    const auto all = columns();
    m_table->setColumnCount(static_cast<int>(all.size()));
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto* head = new QTableWidgetItem(all[i].title);
        head->setToolTip(all[i].meaning);
        head->setTextAlignment((all[i].is_number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
        m_table->setHorizontalHeaderItem(static_cast<int>(i), head);
    }
    m_table->setAccessibleName(tr("Published figures beside ours"));
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setShowGrid(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(k_line_height);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setSectionResizeMode(1, QHeaderView::Stretch);
    m_reason->setWordWrap(true);
    m_reason->setTextFormat(Qt::PlainText);
    m_reason->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(1, 0, 1, k_gap_s);
    layout->setSpacing(k_gap_s);
    layout->addWidget(m_table, 1);
    m_reason->setContentsMargins(k_gap_m, 0, k_gap_m, 0);
    layout->addWidget(m_reason);
    connect(m_table, &QTableWidget::currentCellChanged, this, &PublishedPanel::tellReason);
}

void PublishedPanel::setFigures(const std::vector<sessions::Repeated>& figures)
{
    m_texts = sessions::repeatedTexts(figures);
    const auto all = columns();
    m_table->setRowCount(static_cast<int>(m_texts.size()));
    bool has_quirks = false;
    for (std::size_t row = 0; row < m_texts.size(); ++row) {
        has_quirks = has_quirks || !m_texts[row].as_published.empty();
        for (std::size_t i = 0; i < all.size(); ++i) {
            auto* item = new QTableWidgetItem(QString::fromStdString(m_texts[row].*all[i].text));
            item->setTextAlignment((all[i].is_number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
            item->setToolTip(QString::fromStdString(m_texts[row].source));
            m_table->setItem(static_cast<int>(row), static_cast<int>(i), item);
        }
    }
    m_table->setColumnHidden(5, !has_quirks);
    m_table->setColumnHidden(6, !has_quirks);
    setNote(m_texts.empty() ? QString() : tr("choose a row for the reason of its difference"));
    if (!m_texts.empty()) m_table->setCurrentCell(0, 0);
    tellReason();
}

QString PublishedPanel::reason() const
{
    const int row = m_table->currentRow();
    if (row < 0 || row >= static_cast<int>(m_texts.size())) return {};
    const sessions::RepeatedTexts& texts = m_texts[static_cast<std::size_t>(row)];
    const QString source = QString::fromStdString(texts.source);
    const QString reason = QString::fromStdString(texts.reason);
    return reason.isEmpty() ? source : source + QStringLiteral(": ") + reason;
}

void PublishedPanel::tellReason()
{
    m_reason->setText(reason());
}

} // namespace batchscope::widgets
