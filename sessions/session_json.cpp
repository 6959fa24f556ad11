// SPDX-License-Identifier: GPL-3.0-or-later
// Writing a session document: what the values hold, and beside it every key of the file that they do not.
#include "sessions/backend_json.h"
#include "sessions/ordered_json.h"
#include "sessions/report.h"
#include "sessions/session_document.h"
#include "sessions/workload_json.h"

#include <algorithm>
#include <fmt/format.h>

namespace batchscope::sessions {

namespace {

// Where strategy i of the file stands in the document now: by its name, or, renamed, by its place.
std::optional<std::size_t> placeNow(const SessionDocument& document, std::size_t i)
{
    const auto& read = document.raw["strategies"];
    const auto& now = document.strategies;
    const auto has = [&](const std::string& name) {
        return std::find_if(now.begin(), now.end(),
                            [&](const Strategy& strategy) { return strategy.name == name; });
    };
    if (const auto same = has(read[i]["name"].get<std::string>()); same != now.end())
        return static_cast<std::size_t>(same - now.begin());
    if (read.size() != now.size()) return std::nullopt;
    const auto taken = std::any_of(read.begin(), read.end(),
                                   [&](const nlohmann::json& other) { return other["name"] == now[i].name; });
    return taken ? std::nullopt : std::optional(i);
}

// The keys of a part go with its type: those that stood in another type's object are not carried over.
bool sameType(const nlohmann::json& before, const nlohmann::json& now)
{
    for (const char* key : {"type", "process", "mode"})
        if (before.contains(key) && now.contains(key)) return before[key] == now[key];
    return true;
}

void restore(const SessionDocument& document, const std::string& kept, nlohmann::json& json)
{
    using Pointer = nlohmann::json::json_pointer;
    const Pointer from(kept);
    Pointer to = from;
    constexpr std::string_view k_strategies = "/strategies/";
    if (kept.starts_with(k_strategies)) {
        const auto end = kept.find('/', k_strategies.size());
        const auto place =
            placeNow(document, std::stoul(kept.substr(k_strategies.size(), end - k_strategies.size())));
        if (!place) return;
        to = Pointer(fmt::format("{}{}{}", k_strategies, *place, kept.substr(end)));
    }
    const auto parent = to.parent_pointer();
    if (json.contains(parent) &&
        (!json[parent].is_object() || !sameType(document.raw[from.parent_pointer()], json[parent])))
        return;
    if (!json.contains(to)) json[to] = document.raw[from];
}

} // namespace

nlohmann::json measureToJson(const MeasureSpec& measure)
{
    nlohmann::json json;
    if (measure.warm_up_s) json["warm_up_s"] = *measure.warm_up_s;
    if (measure.warm_up_requests) json["warm_up_requests"] = *measure.warm_up_requests;
    const auto orNull = [](const std::optional<double>& value) {
        return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
    };
    if (measure.from_s || measure.to_s)
        json["window_s"] = nlohmann::json::array({orNull(measure.from_s), orNull(measure.to_s)});
    return json;
}

nlohmann::json sessionToJson(const SessionDocument& document)
{
    nlohmann::json json = {{"schema", "batchscope.session/1"},
                           {"name", document.name},
                           {"notes", document.notes},
                           {"repetitions", document.repetitions},
                           {"backend", backendToJson(document.backend)},
                           {"workload", workloadToJson(document.workload)},
                           {"strategies", nlohmann::json::array()}};
    if (document.vary_seed) json["vary_seed"] = *document.vary_seed;
    if (auto measure = measureToJson(document.measure); !measure.is_null())
        json["measure"] = std::move(measure);
    for (const auto& strategy : document.strategies)
        json["strategies"].push_back(strategyToJson(strategy));
    for (const auto& pointer : document.kept)
        restore(document, pointer, json);
    return json;
}

void writeSession(const SessionDocument& document, const std::filesystem::path& file)
{
    writeFileAtomically(file, orderedForPeople(sessionToJson(document)).dump(2) + "\n");
}

} // namespace batchscope::sessions
