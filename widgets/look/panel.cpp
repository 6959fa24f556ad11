// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/panel.h"

#include "widgets/look/elided_label.h"
#include "widgets/look/identity.h"
#include "widgets/look/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

namespace batchscope::widgets {

PanelBody::PanelBody(const QString& title, QWidget* parent) : QFrame(parent), m_title(title)
{
    setObjectName(QStringLiteral("panelBody"));
    setAccessibleName(title);
}

void PanelBody::setTitle(const QString& title)
{
    if (title == m_title) return;
    m_title = title;
    setAccessibleName(title);
    Q_EMIT headChanged();
}

void PanelBody::setNote(const QString& note)
{
    if (note == m_note) return;
    m_note = note;
    Q_EMIT headChanged();
}

void PanelBody::setIdentity(int order)
{
    if (order == m_order) return;
    m_order = order;
    Q_EMIT headChanged();
}

MarkerLabel::MarkerLabel(QWidget* parent) : QWidget(parent)
{
    setFixedSize(13, 13);
}

void MarkerLabel::setOrder(int order)
{
    m_order = order;
    setVisible(order >= 0);
    update();
}

void MarkerLabel::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    paintMarker(painter, QRectF(1, 1, 11, 11), identity(m_order));
}

PanelHead::PanelHead(PanelBody& body, QWidget* parent)
    : QFrame(parent), m_body(body), m_marker(new MarkerLabel(this)), m_title(new ElidedLabel(this)),
      m_note(new ElidedLabel(this)), m_layout(new QHBoxLayout(this))
{
    setObjectName(QStringLiteral("panelHead"));
    setFixedHeight(k_height);
    setStyleFlag(m_title, "strong", true);
    m_layout->setContentsMargins(k_gap_l, 0, k_gap_m, 0);
    m_layout->setSpacing(k_gap_m);
    m_layout->addWidget(m_marker);
    m_layout->addWidget(m_title);
    m_layout->addWidget(m_note, 1);
    m_note->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    setStyleFlag(m_note, "muted", true);
    connect(&body, &PanelBody::headChanged, this, &PanelHead::follow);
    follow();
}

void PanelHead::addWidget(QWidget* widget)
{
    m_layout->addWidget(widget);
}

void PanelHead::follow()
{
    m_marker->setOrder(m_body.identityOrder());
    m_title->setText(m_body.title());
    m_note->setText(m_body.note());
    // The title gives way before a short note does.
    m_note->setMinimumWidth(std::min(m_note->sizeHint().width(), 92));
}

Panel::Panel(PanelBody* body, QWidget* parent) : QWidget(parent), m_head(new PanelHead(*body, this))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_head);
    layout->addWidget(body, 1);
}

Section::Section(const QString& title, QWidget* parent)
    : QFrame(parent), m_note(new ElidedLabel(this)), m_body(new QVBoxLayout)
{
    setObjectName(QStringLiteral("section"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(k_gap_l, k_gap_m, k_gap_l, k_gap_m);
    head->addWidget(strongLabel(title, this));
    head->addWidget(m_note, 1);
    m_note->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    setStyleFlag(m_note, "muted", true);
    auto* line = new QFrame(this);
    line->setObjectName(QStringLiteral("line"));
    line->setFixedHeight(1);
    layout->addLayout(head);
    layout->addWidget(line);
    m_body->setContentsMargins(k_gap_l, k_gap_m, k_gap_l, k_gap_m);
    m_body->setSpacing(k_gap_s);
    layout->addLayout(m_body, 1);
}

void Section::setNote(const QString& note)
{
    m_note->setText(note);
}

QLabel* mutedLabel(const QString& text, QWidget* parent)
{
    auto* label = new QLabel(text, parent);
    setStyleFlag(label, "muted", true);
    return label;
}

QLabel* strongLabel(const QString& text, QWidget* parent)
{
    auto* label = new QLabel(text, parent);
    setStyleFlag(label, "strong", true);
    return label;
}

QLabel* readableLabel(QWidget* parent)
{
    auto* label = new QLabel(parent);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

QLabel* emptyHint(const QString& text, QWidget* parent)
{
    QLabel* label = mutedLabel(text, parent);
    label->setWordWrap(true);
    label->setAlignment(Qt::AlignCenter);
    label->setMargin(k_gap_xl);
    return label;
}

QToolButton* linkButton(const QString& text, const QString& help, QWidget* parent)
{
    auto* button = new QToolButton(parent);
    button->setObjectName(QStringLiteral("link"));
    button->setText(text);
    button->setToolTip(help);
    button->setAccessibleName(help);
    return button;
}

void setStyleFlag(QWidget* widget, const char* flag, bool on)
{
    if (widget->property(flag).toBool() == on) return;
    widget->setProperty(flag, on);
    widget->style()->unpolish(widget);
    widget->style()->polish(widget);
}

} // namespace batchscope::widgets
