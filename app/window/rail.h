// SPDX-License-Identifier: GPL-3.0-or-later
// The perspectives at the left edge.
#pragma once

#include "widgets/look/glyph.h"

#include <QAbstractButton>
#include <QFrame>

class QAction;
class QVBoxLayout;

namespace batchscope::window {

class RailButton : public QAbstractButton
{
    Q_OBJECT

public:
    RailButton(QAction* action, widgets::Glyph glyph, QWidget* parent = nullptr);
    QSize sizeHint() const override { return {64, 58}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    widgets::Glyph m_glyph;
};

class Rail : public QFrame
{
    Q_OBJECT

public:
    explicit Rail(QWidget* parent = nullptr);
    void addPage(QAction* action, widgets::Glyph glyph); // the action is checkable

private:
    QVBoxLayout* m_layout;
};

} // namespace batchscope::window
