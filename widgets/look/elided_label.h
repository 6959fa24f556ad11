// SPDX-License-Identifier: GPL-3.0-or-later
// A one-line label that shortens its text with "…" instead of widening its place; the whole text is its
// tool-tip.
#pragma once

#include <QLabel>

namespace batchscope::widgets {

class ElidedLabel : public QLabel
{
    Q_OBJECT

public:
    explicit ElidedLabel(QWidget* parent = nullptr) : QLabel(parent) {}
    explicit ElidedLabel(const QString& text, QWidget* parent = nullptr) : QLabel(text, parent) {}
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
};

// A one-line label of what can be missed: whole where there is room left, and not at all otherwise.
class SpareLabel : public QLabel
{
    Q_OBJECT

public:
    explicit SpareLabel(QWidget* parent = nullptr);
    bool isShownWhole() const;

protected:
    void paintEvent(QPaintEvent* event) override;
};

} // namespace batchscope::widgets
