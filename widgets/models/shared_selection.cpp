// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/shared_selection.h"

namespace batchscope::widgets {

void SharedSelection::hover(std::optional<RequestIndex> request)
{
    if (request == m_hovered) return;
    m_hovered = request;
    Q_EMIT changed();
}

void SharedSelection::pin(std::optional<RequestIndex> request)
{
    if (request == m_pinned) return;
    m_pinned = request;
    Q_EMIT changed();
}

void SharedSelection::clear()
{
    m_hovered.reset();
    m_pinned.reset();
    Q_EMIT changed();
}

} // namespace batchscope::widgets
