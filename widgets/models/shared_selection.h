// SPDX-License-Identifier: GPL-3.0-or-later
// What is pointed at, shared by every view of a page: hovering a request anywhere lights it everywhere.
#pragma once

#include "scheduler/request.h"

#include <QObject>
#include <optional>

namespace batchscope::widgets {

class SharedSelection : public QObject
{
    Q_OBJECT

public:
    using QObject::QObject;
    std::optional<RequestIndex> hovered() const { return m_hovered; }
    std::optional<RequestIndex> pinned() const { return m_pinned; }
    // What details show: the hovered request, else the pinned one.
    std::optional<RequestIndex> shown() const { return m_hovered ? m_hovered : m_pinned; }

    void hover(std::optional<RequestIndex> request);
    void pin(std::optional<RequestIndex> request);
    void clear();

Q_SIGNALS:
    void changed();

private:
    std::optional<RequestIndex> m_hovered, m_pinned;
};

} // namespace batchscope::widgets
