// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of a muted label and a field, as the columns of Compose show them.
#pragma once

#include <QGridLayout>
#include <QString>

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QSpinBox;

namespace batchscope::widgets {

class Form : public QGridLayout
{
    Q_OBJECT

public:
    explicit Form(QWidget* parent = nullptr);
    QLabel* addField(const QString& title, QWidget* field, const QString& help = {});
    void addHead(QLabel* head); // over the fields that follow
    // A second field in the row added last, with its own short title.
    QLabel* addBeside(const QString& title, QWidget* field, const QString& help = {});

private:
    QLabel* label(const QString& title, QWidget* field, const QString& help);
    int m_row = -1;
};

QSpinBox* spinBox(int minimum, int maximum, QWidget* parent);
QDoubleSpinBox* realBox(double minimum, double maximum, int decimals, QWidget* parent);
// Selects the entry with this data without telling anybody.
void selectData(QComboBox& box, const QString& data);

} // namespace batchscope::widgets
