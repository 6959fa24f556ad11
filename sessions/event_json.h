// SPDX-License-Identifier: GPL-3.0-or-later
// Events as JSON: {"at_ns": 0, "event": "arrived", ...} with the fields of event_fields.h in their order, so
// that equal logs give equal bytes.
#pragma once

#include "scheduler/event.h"

#include <string>
#include <string_view>

namespace batchscope::sessions {

std::string eventJson(const Event& event); // one line, without its end

std::string jsonText(std::string_view text); // quoted and escaped; bytes that are no UTF-8 become U+FFFD
std::string jsonNumber(double value);        // shortest form that reads back the same; null where not finite

std::string predictionKindName(PredictionKind kind); // "none", "tokens", "class", "rank"
std::string deliveryName(Delivery delivery);         // "streamed", "batch-end"
std::string batchKindName(BatchKind kind);           // "static", "micro", "recompute", "extend", "continuous"

} // namespace batchscope::sessions
