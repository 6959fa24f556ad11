// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

namespace batchscope::window {

QStringList presetNames(); // cost models in resources/presets, by name

} // namespace batchscope::window
