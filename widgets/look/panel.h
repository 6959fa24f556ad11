// SPDX-License-Identifier: GPL-3.0-or-later
// A panel: a head (title in bold, a note on the right) over a body. PanelBody is what a view derives from;
// the frame around it comes from Panel or from a dock.
#pragma once

#include <QFrame>
#include <QString>

class QHBoxLayout;
class QLabel;
class QToolButton;
class QVBoxLayout;

namespace batchscope::widgets {

class PanelBody : public QFrame
{
    Q_OBJECT

public:
    explicit PanelBody(const QString& title, QWidget* parent = nullptr);
    QString title() const { return m_title; }
    QString note() const { return m_note; }
    void setTitle(const QString& title);
    void setNote(const QString& note);
    void setIdentity(int order); // of the run it shows: its marker stands before the title; -1: none
    int identityOrder() const { return m_order; }

Q_SIGNALS:
    void headChanged();

private:
    QString m_title, m_note;
    int m_order = -1;
};

class MarkerLabel : public QWidget // a run's marker; hidden where there is none
{
    Q_OBJECT

public:
    explicit MarkerLabel(QWidget* parent = nullptr);
    void setOrder(int order);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    int m_order = -1;
};

class PanelHead : public QFrame
{
    Q_OBJECT

public:
    explicit PanelHead(PanelBody& body, QWidget* parent = nullptr);
    void addWidget(QWidget* widget);                                                   // at the right end
    QSize sizeHint() const override { return {QFrame::sizeHint().width(), k_height}; } // what a dock asks for
    QSize minimumSizeHint() const override { return {80, k_height}; }

private:
    static constexpr int k_height = 32;
    void follow();
    PanelBody& m_body;
    MarkerLabel* m_marker;
    QLabel* m_title;
    QLabel* m_note;
    QHBoxLayout* m_layout;
};

class Panel : public QWidget // head + body, outside of docks
{
    Q_OBJECT

public:
    explicit Panel(PanelBody* body, QWidget* parent = nullptr);
    PanelHead& head() { return *m_head; }

private:
    PanelHead* m_head;
};

// A titled part inside a panel, under a thin line.
class Section : public QFrame
{
    Q_OBJECT

public:
    explicit Section(const QString& title, QWidget* parent = nullptr);
    void setNote(const QString& note);
    QVBoxLayout* body() { return m_body; }

private:
    QLabel* m_note;
    QVBoxLayout* m_body;
};

QLabel* mutedLabel(const QString& text, QWidget* parent = nullptr);
QLabel* strongLabel(const QString& text, QWidget* parent = nullptr);
// Sentences that are read whole and may be copied: plain text, wrapped.
QLabel* readableLabel(QWidget* parent);
// A teaching text for an empty view: what is missing and the next step.
QLabel* emptyHint(const QString& text, QWidget* parent = nullptr);
// A button that looks like a link; `help` is its tool-tip and what people hear.
QToolButton* linkButton(const QString& text, const QString& help, QWidget* parent);
// Sets a dynamic property and lets the style sheet see it.
void setStyleFlag(QWidget* widget, const char* flag, bool on);

} // namespace batchscope::widgets
