// SPDX-License-Identifier: GPL-3.0-or-later
// What Compose offers for the simulator: the cost models in resources/presets, and shapes out of model
// folders.
#pragma once

#include "widgets/compose/facts.h"

namespace batchscope::window {

widgets::SimulatorChoices simulatorChoices();

} // namespace batchscope::window
