// SPDX-License-Identifier: GPL-3.0-or-later
// Lays items out in rows, as words in a paragraph.
#pragma once

#include <QLayout>
#include <memory>
#include <vector>

namespace batchscope::widgets {

class FlowLayout : public QLayout
{
    Q_OBJECT

public:
    explicit FlowLayout(int gap, QWidget* parent = nullptr);
    ~FlowLayout() override;
    void addItem(QLayoutItem* item) override;
    int count() const override { return static_cast<int>(m_items.size()); }
    QLayoutItem* itemAt(int index) const override;
    QLayoutItem* takeAt(int index) override;
    Qt::Orientations expandingDirections() const override { return {}; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override { return arrange(QRect(0, 0, width, 0), false); }
    QSize minimumSize() const override;
    QSize sizeHint() const override { return minimumSize(); }
    void setGeometry(const QRect& rect) override;

private:
    int arrange(const QRect& rect, bool apply) const;
    std::vector<std::unique_ptr<QLayoutItem>> m_items;
    int m_gap;
};

} // namespace batchscope::widgets
