// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compose/form.h"

#include "widgets/compose/wheel_guard.h"
#include "widgets/look/panel.h"
#include "widgets/look/theme.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QSignalBlocker>
#include <QSpinBox>

namespace batchscope::widgets {

Form::Form(QWidget* parent) : QGridLayout(parent)
{
    setContentsMargins(0, 0, 0, 0);
    setHorizontalSpacing(k_gap_m);
    setVerticalSpacing(k_gap_m);
    setColumnStretch(1, 3);
    setColumnStretch(3, 2);
}

QLabel* Form::label(const QString& title, QWidget* field, const QString& help)
{
    QLabel* text = mutedLabel(title, field->parentWidget());
    text->setBuddy(field);
    text->setToolTip(help);
    m_labels.insert(field, text);
    field->setAccessibleName(title);
    if (field->toolTip().isEmpty()) field->setToolTip(help);
    field->installEventFilter(new WheelGuard(field));
    field->setMinimumWidth(64); // a column may be narrow; a number of ten digits rarely comes
    if (auto* box = qobject_cast<QComboBox*>(field)) {
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        box->setMinimumContentsLength(6);
    }
    return text;
}

QLabel* Form::addField(const QString& title, QWidget* field, const QString& help)
{
    QLabel* text = label(title, field, help);
    const QWidget* first = field->focusProxy(); // of a field that may grow to several lines
    if (first) text->setMinimumHeight(first->sizeHint().height());
    addWidget(text, ++m_row, 0, first ? Qt::AlignTop : Qt::Alignment());
    addWidget(field, m_row, 1, 1, 3);
    return text;
}

void Form::addHead(QLabel* head)
{
    addWidget(head, ++m_row, 0, 1, 4);
}

QLabel* Form::addBeside(const QString& title, QWidget* field, const QString& help)
{
    QLayoutItem* first = itemAtPosition(m_row, 1);
    QWidget* before = first ? first->widget() : nullptr;
    if (before) {
        removeWidget(before);
        addWidget(before, m_row, 1);
    }
    QLabel* text = label(title, field, help);
    addWidget(text, m_row, 2);
    addWidget(field, m_row, 3);
    return text;
}

void Form::addWide(QWidget* field)
{
    addWidget(field, ++m_row, 0, 1, 4);
}

void Form::setFieldVisible(QWidget* field, bool visible)
{
    if (QLabel* text = m_labels.value(field)) text->setVisible(visible);
    field->setVisible(visible);
}

bool Form::isFieldVisible(const QWidget* field) const
{
    return field->isVisibleTo(parentWidget());
}

QSpinBox* spinBox(int minimum, int maximum, QWidget* parent)
{
    auto* box = new QSpinBox(parent);
    box->setRange(minimum, maximum);
    box->setKeyboardTracking(false);
    return box;
}

QDoubleSpinBox* realBox(double minimum, double maximum, int decimals, QWidget* parent)
{
    class ShortBox : public QDoubleSpinBox // "0.25", "2": a narrow column has no room for zeros
    {
    public:
        using QDoubleSpinBox::QDoubleSpinBox;
        QString textFromValue(double value) const override
        {
            QString text = locale().toString(value, 'f', decimals());
            if (text.contains(QLatin1Char('.')))
                while (text.endsWith(QLatin1Char('0')) || text.endsWith(QLatin1Char('.'))) {
                    const bool point = text.endsWith(QLatin1Char('.'));
                    text.chop(1);
                    if (point) break;
                }
            return text;
        }
    };
    auto* box = new ShortBox(parent);
    box->setLocale(QLocale::c());
    box->setDecimals(decimals);
    box->setRange(minimum, maximum);
    box->setKeyboardTracking(false);
    return box;
}

void selectData(QComboBox& box, const QString& data)
{
    const QSignalBlocker quiet(box);
    int at = box.findData(data);
    if (at < 0) { // a value the file has and this list does not: shown as it is
        box.addItem(data, data);
        at = box.count() - 1;
    }
    box.setCurrentIndex(at);
}

} // namespace batchscope::widgets
