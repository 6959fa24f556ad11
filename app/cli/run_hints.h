// SPDX-License-Identifier: GPL-3.0-or-later
// What `run` says of the load below its table: who kept up with the arrivals and who did not, and Little's
// law.
#pragma once

#include "sessions/run_store.h"

#include <string>
#include <vector>

namespace batchscope::cli {

// Empty where no rate can be told: all requests arrive at once, or they are few.
std::string loadHints(const std::vector<sessions::StoredRun>& runs);

} // namespace batchscope::cli
