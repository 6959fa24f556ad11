// SPDX-License-Identifier: GPL-3.0-or-later
// What runs a session: the model itself, or the simulator with a preset or the figures of a roofline.
#pragma once

#include "sessions/json_reader.h"
#include "sessions/session_document.h"

#include <string>
#include <vector>

namespace batchscope::sessions {

BackendSpec readBackend(ObjectReader& document);

// Keys below "backend" that only the simulator has ("roofline.device.peak_tflops").
std::vector<std::string> simulatorKeys();

} // namespace batchscope::sessions
