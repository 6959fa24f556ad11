// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/scroll_column.h"

#include "widgets/look/panel.h"

#include <QScrollArea>
#include <QVBoxLayout>

namespace batchscope::widgets {

QVBoxLayout* makeScrollColumn(PanelBody& panel, ColumnOf content)
{
    auto* area = new QScrollArea(&panel);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setFocusPolicy(content == ColumnOf::Fields ? Qt::NoFocus : Qt::StrongFocus);
    area->setAccessibleName(panel.title());
    auto* body = new QWidget(area);
    body->setObjectName(QStringLiteral("scrollBody"));
    area->setWidget(body);
    auto* frame = new QVBoxLayout(&panel);
    frame->setContentsMargins(1, 0, 1, 1); // the panel's own border
    frame->addWidget(area);
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    return column;
}

} // namespace batchscope::widgets
