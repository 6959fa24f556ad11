// SPDX-License-Identifier: GPL-3.0-or-later
// Figures as people read them: grouped digits, fixed decimals, changes in words.
#pragma once

#include "scheduler/metrics/metrics.h"

#include <optional>
#include <string>

namespace batchscope::sessions {

inline constexpr const char* k_no_data = "—";
inline constexpr const char* k_uncertain = "†"; // behind a figure that hangs on one or two values
// The line that explains the marks in `table`; empty where it has none.
std::string legendOf(const std::string& table);

std::string grouped(double value, int decimals);     // "12,345.60"
std::string percent(double share, int decimals = 1); // 0.256 -> "25.6 %"
std::string times(double ratio);                     // "2.04 ×"
std::string figureText(const MetricDefinition& metric,
                       const std::optional<double>& value); // without its unit
std::string unitText(const MetricDefinition& metric);       // "%" for shares

// What became of the baseline's figure: "2.04 × as high", "57.0 % shorter", "+25.6 points", "the same", or ""
// where either is unknown. `direction`: +1 better, -1 worse, 0 neither.
std::string changeText(const MetricDefinition& metric, const std::optional<double>& baseline,
                       const std::optional<double>& value, int* direction);

} // namespace batchscope::sessions
