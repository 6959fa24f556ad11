// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compose/param_field.h"

#include "widgets/compose/form.h"
#include "widgets/look/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QCoreApplication>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QToolButton>
#include <cmath>

namespace batchscope::widgets {
namespace {

using Changed = std::function<void(ParamValue)>;

QString tr(const char* text)
{
    return QCoreApplication::translate("ParamField", text);
}

double asReal(const ParamValue& value)
{
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
    if (const auto* real = std::get_if<double>(&value)) return *real;
    return 0;
}

QWidget* numberField(const ParamDescriptor& param, const ParamValue& value, const Changed& changed,
                     QWidget* parent)
{
    const bool whole = param.type == ParamType::Integer;
    QDoubleSpinBox* box =
        realBox(param.minimum.value_or(-1e12), param.maximum.value_or(1e12), whole ? 0 : 3, parent);
    if (!param.unit.empty()) box->setSuffix(QLatin1Char(' ') + QString::fromStdString(param.unit));
    box->setValue(asReal(value));
    QObject::connect(box, &QDoubleSpinBox::valueChanged, box, [changed, whole](double now) {
        changed(whole ? ParamValue(static_cast<std::int64_t>(std::llround(now))) : ParamValue(now));
    });
    return box;
}

QWidget* choiceField(const ParamDescriptor& param, const ParamValue& value, const Changed& changed,
                     QWidget* parent)
{
    auto* box = new QComboBox(parent);
    for (const std::string& choice : param.choices)
        box->addItem(QString::fromStdString(choice), QString::fromStdString(choice));
    selectData(*box, paramText(value));
    QObject::connect(box, &QComboBox::currentIndexChanged, box,
                     [changed, box] { changed(ParamValue(box->currentData().toString().toStdString())); });
    return box;
}

QWidget* textField(const ParamDescriptor& param, const ParamValue& value, const Changed& changed,
                   QWidget* parent)
{
    auto* line = new QLineEdit(paramText(value), parent);
    QObject::connect(line, &QLineEdit::editingFinished, line,
                     [changed, line] { changed(ParamValue(line->text().toStdString())); });
    if (param.type != ParamType::File) return line;
    auto* both = new QWidget(parent);
    auto* row = new QHBoxLayout(both);
    row->setContentsMargins(0, 0, 0, 0);
    auto* browse = new QToolButton(both);
    browse->setObjectName(QStringLiteral("bar"));
    browse->setText(tr("Browse…"));
    browse->setAccessibleName(tr("Browse for a file"));
    row->addWidget(line, 1);
    row->addWidget(browse);
    both->setFocusProxy(line);
    QObject::connect(browse, &QToolButton::clicked, line, [line, changed] {
        const QString file = QFileDialog::getOpenFileName(line, tr("Choose a file"), line->text());
        if (file.isEmpty()) return;
        line->setText(file);
        changed(ParamValue(file.toStdString()));
    });
    return both;
}

QWidget* valueField(const ParamDescriptor& param, const ParamValue& value, const Changed& changed,
                    QWidget* parent)
{
    switch (param.type) {
    case ParamType::Boolean: {
        auto* box = new QCheckBox(parent);
        box->setChecked(std::holds_alternative<bool>(value) && std::get<bool>(value));
        QObject::connect(box, &QCheckBox::toggled, box, [changed](bool on) { changed(ParamValue(on)); });
        return box;
    }
    case ParamType::Integer:
    case ParamType::Real:
        return numberField(param, value, changed, parent);
    case ParamType::Choice:
        return choiceField(param, value, changed, parent);
    case ParamType::Text:
    case ParamType::File:
        return textField(param, value, changed, parent);
    }
    return new QWidget(parent);
}

ParamValue somethingFor(const ParamDescriptor& param) // what a null becomes when it is ticked
{
    if (!std::holds_alternative<std::monostate>(param.default_value)) return param.default_value;
    switch (param.type) {
    case ParamType::Boolean:
        return false;
    case ParamType::Integer:
        return static_cast<std::int64_t>(param.minimum.value_or(1));
    case ParamType::Real:
        return param.minimum.value_or(1.0);
    case ParamType::Choice:
        return param.choices.empty() ? std::string() : param.choices.front();
    default:
        return std::string();
    }
}

} // namespace

QWidget* makeParamField(const ParamDescriptor& param, const ParamValue& value, const Changed& changed,
                        QWidget* parent)
{
    const bool is_null = std::holds_alternative<std::monostate>(value);
    const ParamValue shown = is_null ? somethingFor(param) : value;
    if (!param.nullable) return valueField(param, shown, changed, parent);
    auto* both = new QWidget(parent);
    auto* row = new QHBoxLayout(both);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(k_gap_m);
    auto* tick = new QCheckBox(both);
    tick->setAccessibleName(tr("Use %1").arg(QString::fromStdString(param.title)));
    tick->setToolTip(tr("Off: none"));
    tick->setChecked(!is_null);
    QWidget* field = valueField(param, shown, changed, both);
    field->setEnabled(!is_null);
    field->setAccessibleName(QString::fromStdString(param.title));
    row->addWidget(tick);
    row->addWidget(field, 1);
    both->setFocusProxy(tick);
    QObject::connect(tick, &QCheckBox::toggled, field, [field, changed, shown](bool on) {
        field->setEnabled(on);
        changed(on ? shown : ParamValue(std::monostate{}));
    });
    return both;
}

QString paramText(const ParamValue& value)
{
    if (std::holds_alternative<std::monostate>(value)) return QStringLiteral("null");
    if (const auto* on = std::get_if<bool>(&value)) return *on ? QStringLiteral("on") : QStringLiteral("off");
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return QString::number(*integer);
    if (const auto* real = std::get_if<double>(&value)) return QString::number(*real);
    return QString::fromStdString(std::get<std::string>(value));
}

QString paramHelp(const ParamDescriptor& param)
{
    QStringList parts;
    if (!param.help.empty()) parts << QString::fromStdString(param.help);
    parts << tr("Default: %1").arg(paramText(param.default_value));
    if (!param.source.empty()) parts.back() += tr(" (%1)").arg(QString::fromStdString(param.source));
    return parts.join(QLatin1Char('\n'));
}

} // namespace batchscope::widgets
