// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/notice_strip.h"

#include "widgets/look/glyph.h"
#include "widgets/look/panel.h"
#include "widgets/look/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

namespace batchscope::widgets {

NoticeStrip::NoticeStrip(QWidget* parent) : QFrame(parent), m_label(new QLabel(this))
{
    setObjectName(QStringLiteral("notice"));
    setAccessibleName(tr("Notice"));
    m_label->setWordWrap(true);
    m_label->setTextFormat(Qt::PlainText);
    m_label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* close = new QToolButton(this);
    close->setObjectName(QStringLiteral("flat"));
    close->setText(tr("Dismiss"));
    close->setAccessibleName(tr("Dismiss the notice"));
    connect(close, &QToolButton::clicked, this, &NoticeStrip::clear);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(k_gap_l, k_gap_s, k_gap_s, k_gap_s);
    layout->addWidget(m_label, 1);
    layout->addWidget(close, 0, Qt::AlignTop);
    hide();
}

void NoticeStrip::tell(const QString& text, bool warning)
{
    m_times = text == m_text && isVisibleTo(parentWidget()) ? m_times + 1 : 1;
    m_text = text;
    m_label->setText(m_times > 1 ? tr("%1 (%2 times)").arg(text).arg(m_times) : text);
    setStyleFlag(this, "warn", warning);
    show();
}

void NoticeStrip::clear()
{
    m_text.clear();
    m_times = 0;
    hide();
}

QString NoticeStrip::text() const
{
    return m_text;
}

} // namespace batchscope::widgets
