// SPDX-License-Identifier: GPL-3.0-or-later
// A pill with a muted name and a value ("ordering  FCFS"). Chip is read, ChipButton can be pressed.
#pragma once

#include <QAbstractButton>
#include <QStringList>
#include <QWidget>

namespace batchscope::widgets {

class Chip : public QWidget // "CPU, 2 threads", with a mark in front when there is one
{
    Q_OBJECT

public:
    explicit Chip(const QString& name, QWidget* parent = nullptr); // name: for people who hear the page
    void setText(const QString& text);
    void setMark(const QColor& color, bool filled); // a dot or a ring
    QString text() const { return m_text; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_name, m_text;
    QColor m_mark;
    bool m_filled = true;
};

// A value of several parts ("grouped 256 · rows 16 · bins of 50") that is wider than its place goes on in
// further lines: nothing of it is cut.
class ChipButton : public QAbstractButton
{
    Q_OBJECT

public:
    explicit ChipButton(const QString& kind, QWidget* parent = nullptr);
    void setValue(const QString& value);
    QString value() const { return m_value; }
    QStringList lines(int width) const; // the value as it stands in a chip of this width
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    int heightForWidth(int width) const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    int kindWidth() const;
    QString m_kind, m_value;
};

} // namespace batchscope::widgets
