// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/ordered_json.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace batchscope::sessions {

using Ordered = nlohmann::ordered_json;

namespace {

// What a reader looks for first comes first; all else follows in the order of the alphabet.
int rankOf(const std::string& key)
{
    static const std::map<std::string, int> ranks = [] {
        std::map<std::string, int> all;
        int next = 0;
        for (const char* name :
             {"schema",    "type",     "process",    "mode",      "name",       "notes",     "repetitions",
              "vary_seed", "measure",  "backend",    "workload",  "source",     "path",      "format",
              "model",     "dtype",    "device",     "threads",   "requests",   "seed",      "arrivals",
              "rate",      "lengths",  "tokens",     "sampling",  "strategies", "predictor", "ordering",
              "batching",  "group",    "rows",       "bin_width", "vbs",        "max_rows",  "reserve_bytes",
              "window_s",  "delivery", "correction", "limits",    "slo",        "compat"})
            all.emplace(name, next++);
        return all;
    }();
    const auto found = ranks.find(key);
    return found == ranks.end() ? static_cast<int>(ranks.size()) : found->second;
}

} // namespace

Ordered orderedForPeople(const nlohmann::json& json)
{
    if (json.is_array()) {
        Ordered list = Ordered::array();
        for (const auto& item : json)
            list.push_back(orderedForPeople(item));
        return list;
    }
    if (!json.is_object()) return Ordered(json);
    std::vector<std::string> keys;
    for (const auto& [key, value] : json.items())
        keys.push_back(key);
    std::stable_sort(keys.begin(), keys.end(),
                     [](const auto& a, const auto& b) { return rankOf(a) < rankOf(b); });
    Ordered object = Ordered::object();
    for (const auto& key : keys)
        object[key] = orderedForPeople(json[key]);
    return object;
}

} // namespace batchscope::sessions
