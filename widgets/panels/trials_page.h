// SPDX-License-Identifier: GPL-3.0-or-later
// A page of many simulated runs: a sweep of a parameter, or advice on what else could be done. What is to run
// and how long it will take stands before it runs; then progress, the frontier, a table of the same, and
// words.
#pragma once

#include "widgets/models/trials.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QSpinBox;
class QStackedWidget;
class QStandardItemModel;
class QTableView;

namespace batchscope::widgets {

class FrontierView;

struct SweptParameter // that a sweep may vary
{
    QString key;    // as --vary has it
    QString title;  // "Rows of a batch"
    QString values; // to begin with: "4,8,16,32"
};

class TrialsPage : public QWidget
{
    Q_OBJECT

public:
    explicit TrialsPage(QWidget* parent = nullptr);

    void showAdvice(const QString& session);
    void showSweep(const QString& strategy, const std::vector<SweptParameter>& parameters);
    bool isSweep() const { return m_is_sweep; }
    QString axis() const; // "batching.rows=4,8,16": what is written in the form
    int repetitions() const;

    // What Start would do, or why it cannot (`can_start` false).
    void setPlan(const QString& text, bool can_start);
    void setProgress(int done, int all); // all 0: nothing runs
    void setTrials(Trials trials);
    const Trials& trials() const { return m_trials; }
    int chosen() const; // row of the table; -1: none
    void choose(int trial);

Q_SIGNALS:
    void planAsked(); // the form has changed
    void startAsked();
    void cancelAsked();
    void leaveAsked();
    void useAsked(int trial);

private:
    QWidget* buildHead();
    QWidget* buildForm();
    QWidget* buildBody();
    void fillTable();
    void follow();
    QLabel *m_title, *m_plan, *m_words, *m_hint;
    QWidget* m_form;
    QComboBox* m_parameter;
    QLineEdit* m_values;
    QSpinBox* m_repetitions;
    QProgressBar* m_progress;
    QPushButton *m_start, *m_cancel, *m_use;
    QStackedWidget* m_stack;
    FrontierView* m_plot;
    QTableView* m_table;
    QStandardItemModel* m_model;
    std::vector<SweptParameter> m_parameters;
    Trials m_trials;
    bool m_is_sweep = false, m_can_start = false, m_runs = false;
};

} // namespace batchscope::widgets
