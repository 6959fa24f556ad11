// SPDX-License-Identifier: GPL-3.0-or-later
// The editor of one typed parameter.
#pragma once

#include "scheduler/registry.h"

#include <QWidget>
#include <functional>

namespace batchscope::widgets {

// A field with the parameter's range, unit and choices, showing `value`; nullable ones have a tick in front.
QWidget* makeParamField(const ParamDescriptor& param, const ParamValue& value,
                        const std::function<void(ParamValue)>& changed, QWidget* parent);

QString paramHelp(const ParamDescriptor& param); // help, default and where the default comes from
QString paramText(const ParamValue& value);      // "16", "off", "null"

} // namespace batchscope::widgets
