// SPDX-License-Identifier: GPL-3.0-or-later
// "did you mean": the nearest of the names that exist, for messages about a mistyped key or value.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace batchscope::sessions {

// Insertions, deletions, substitutions and swaps of neighbours that turn one into the other.
std::size_t editDistance(std::string_view a, std::string_view b);
// The nearest name, nearest first, at most `count`; those further off than a third of the letters are left
// out.
std::vector<std::string> nearestNames(std::string_view name, const std::vector<std::string>& known,
                                      std::size_t count = 3);
// " (did you mean \"seed\"?)", or "" where nothing is near.
std::string didYouMean(std::string_view name, const std::vector<std::string>& known);

} // namespace batchscope::sessions
