// SPDX-License-Identifier: GPL-3.0-or-later
// What the colours of a padding map mean.
#pragma once

#include <QWidget>

namespace batchscope::widgets {

class Legend : public QWidget
{
    Q_OBJECT

public:
    explicit Legend(QWidget* parent = nullptr);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {120, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;
};

} // namespace batchscope::widgets
