// SPDX-License-Identifier: GPL-3.0-or-later
// Lets the wheel scroll the page: a field takes it only while it has the focus.
#pragma once

#include <QEvent>
#include <QObject>
#include <QWidget>

namespace batchscope::widgets {

class WheelGuard : public QObject
{
    Q_OBJECT

public:
    using QObject::QObject;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() != QEvent::Wheel) return false;
        const auto* widget = qobject_cast<QWidget*>(watched);
        if (!widget || widget->hasFocus()) return false;
        event->ignore();
        return true;
    }
};

} // namespace batchscope::widgets
