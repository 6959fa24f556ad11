// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of a muted label and a field, as the columns of Compose show them.
#pragma once

#include <QGridLayout>
#include <QHash>
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
    void addWide(QWidget* field);                       // over the whole width, without a title
    void setFieldVisible(QWidget* field, bool visible); // with its title; an empty row takes no room
    bool isFieldVisible(const QWidget* field) const;

private:
    QLabel* label(const QString& title, QWidget* field, const QString& help);
    QHash<const QWidget*, QLabel*> m_labels;
    int m_row = -1;
};

inline constexpr int k_title_width = 96; // forms under one another share it, so that their fields align

QSpinBox* spinBox(int minimum, int maximum, QWidget* parent);
QDoubleSpinBox* realBox(double minimum, double maximum, int decimals, QWidget* parent);
// Selects the entry with this data without telling anybody.
void selectData(QComboBox& box, const QString& data);

} // namespace batchscope::widgets
