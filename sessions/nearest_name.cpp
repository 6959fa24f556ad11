// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/nearest_name.h"

#include <algorithm>
#include <utility>

namespace batchscope::sessions {

std::size_t editDistance(std::string_view a, std::string_view b)
{
    // Optimal string alignment over three rows.
    std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
        last[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t cost = a[i - 1] == b[j - 1] ? 0 : 1;
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + cost});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
        std::swap(before, last);
        std::swap(last, row);
    }
    return last[b.size()];
}

std::vector<std::string> nearestNames(std::string_view name, const std::vector<std::string>& known,
                                      std::size_t count)
{
    std::vector<std::pair<std::size_t, std::string>> near;
    for (const auto& candidate : known) {
        const std::size_t allowed = std::max<std::size_t>(2, std::max(name.size(), candidate.size()) / 3);
        const std::size_t distance = editDistance(name, candidate);
        if (distance <= allowed && distance < candidate.size()) near.emplace_back(distance, candidate);
    }
    std::sort(near.begin(), near.end());
    near.erase(std::unique(near.begin(), near.end()), near.end());
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min(count, near.size()); ++i)
        names.push_back(near[i].second);
    return names;
}

std::string didYouMean(std::string_view name, const std::vector<std::string>& known)
{
    const auto near = nearestNames(name, known, 1);
    return near.empty() ? std::string() : " (did you mean \"" + near.front() + "\"?)";
}

} // namespace batchscope::sessions
