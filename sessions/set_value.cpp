// SPDX-License-Identifier: GPL-3.0-or-later
// "--set a.b=value", and what else the programs ask of a document before it runs.
#include "sessions/backend_json.h"
#include "sessions/json_reader.h"
#include "sessions/nearest_name.h"
#include "sessions/session_document.h"
#include "sessions/strategy_json.h"
#include "sessions/workload_json.h"

#include <algorithm>
#include <fmt/format.h>

namespace batchscope::sessions {

namespace {

nlohmann::json::json_pointer pointerTo(const std::string& dotted)
{
    nlohmann::json::json_pointer pointer;
    std::size_t begin = 0;
    while (begin <= dotted.size()) {
        const auto end = std::min(dotted.find('.', begin), dotted.size());
        pointer.push_back(dotted.substr(begin, end - begin));
        begin = end + 1;
    }
    return pointer;
}

// As JSON where it is that, else discarded.
nlohmann::json parseValue(const std::string& key, const std::string& text)
{
    const auto bounded = [&](int depth, nlohmann::json::parse_event_t, const nlohmann::json&) {
        if (depth > k_deepest)
            throw DocumentError(
                fmt::format("--set {}: lists and objects are nested more than {} deep", key, k_deepest));
        return true;
    };
    return nlohmann::json::parse(text, bounded, false);
}

bool setsStrategies(const std::string& key)
{
    static const std::vector<std::string> roots{"predictor", "ordering", "batching", "correction",
                                                "limits",    "slo",      "compat"};
    return std::find(roots.begin(), roots.end(), key.substr(0, key.find('.'))) != roots.end();
}

// Keys that --set may name: those the reader asked this document for, strategies' without their place.
std::vector<std::string> settableKeys(const nlohmann::json& json, const Registry& registry)
{
    std::set<std::string> keys;
    const auto& strategies = json["strategies"];
    for (std::size_t i = 0; i < strategies.size(); ++i) {
        ReadContext context;
        readStrategy(strategies[i], "", "", &registry, context);
        keys.insert(context.known.begin(), context.known.end());
    }
    keys.erase("name");
    for (const char* key : {"name", "notes", "repetitions", "vary_seed", "measure.warm_up_s",
                            "measure.warm_up_requests", "measure.window_s", "backend.type", "backend.model",
                            "backend.dtype", "backend.device", "backend.threads", "limits.max_new_tokens",
                            "limits.kv_bytes", "slo.ttft_s", "slo.tpot_s", "slo.e2el_s"})
        keys.insert(key);
    for (const auto& key : simulatorKeys())
        keys.insert("backend." + key);
    for (const auto& key : workloadKeys())
        keys.insert("workload." + key);
    for (const auto& key : std::set(keys)) // whole objects, too
        for (auto dot = key.find('.'); dot != std::string::npos; dot = key.find('.', dot + 1))
            keys.insert(key.substr(0, dot));
    return {keys.begin(), keys.end()};
}

[[noreturn]] void refuseKey(const std::string& key, const nlohmann::json& json, const Registry& registry)
{
    const auto known = settableKeys(json, registry);
    auto near = nearestNames(key, known);
    const auto dot = key.rfind('.');
    for (const auto& name : known) // the same key elsewhere: "rows" for "batching.rows"
        if (near.size() < 3 && name.ends_with("." + key.substr(dot == std::string::npos ? 0 : dot + 1)) &&
            std::find(near.begin(), near.end(), name) == near.end())
            near.push_back(name);
    throw DocumentError(fmt::format("--set {}: no such key here{}", key,
                                    near.empty()
                                        ? fmt::format(" (the document has {})", fmt::join(known, ", "))
                                        : fmt::format("; the nearest are {}", fmt::join(near, ", "))));
}

// Sets one key of one JSON object; false where nothing would read it there.
bool setIn(nlohmann::json& object, const std::string& key, const nlohmann::json& value,
           std::set<std::string> known, const std::string& prefix)
{
    if (!known.contains(prefix + key)) return false;
    auto pointer = pointerTo(key);
    for (auto parent = pointer.parent_pointer(); !parent.empty(); parent = parent.parent_pointer())
        if (object.contains(parent) && object[parent].is_null()) object[parent] = nlohmann::json::object();
    object[pointer] = value;
    return true;
}

// A new type keeps the parameters that it also has and drops the others.
void setPartType(nlohmann::json& part, PartKind kind, const nlohmann::json& type, const Registry& registry)
{
    const auto* descriptor = type.is_string() ? registry.find(kind, type.get<std::string>()) : nullptr;
    nlohmann::json next = {{"type", type}};
    if (descriptor)
        for (const auto& param : descriptor->params)
            if (const auto pointer = pointerTo(param.name); part.contains(pointer))
                next[pointer] = part[pointer];
    part = next;
}

bool setInStrategy(nlohmann::json& strategy, const std::string& key, const nlohmann::json& value,
                   const Registry& registry)
{
    for (const PartKind kind : k_part_kinds)
        if (key == partKindName(kind) + ".type") {
            setPartType(strategy[partKindName(kind)], kind, value, registry);
            return true;
        }
    ReadContext context;
    nlohmann::json asked = strategy;
    if (asked["slo"].is_null()) asked["slo"] = nlohmann::json::object();
    readStrategy(asked, "", "", &registry, context);
    return setIn(strategy, key, value, context.known, "");
}

bool asksForMissingAgeing(const PartSpec& ordering, const Registry& registry)
{
    const auto* part = registry.find(PartKind::Ordering, ordering.type);
    return part && std::any_of(ordering.params.begin(), ordering.params.end(), [&](const auto& param) {
               const auto& [name, value] = param;
               const bool is_set = (name == "ageing" || name.starts_with("ageing.")) &&
                                   !std::holds_alternative<std::monostate>(value);
               return is_set &&
                      std::none_of(part->params.begin(), part->params.end(),
                                   [&name = name](const auto& known) { return known.name == name; });
           });
}

} // namespace

void setValue(SessionDocument& document, const std::string& assignment, const Registry& registry)
{
    const auto equals = assignment.find('=');
    if (equals == 0 || equals == std::string::npos)
        throw DocumentError("--set " + assignment + ": expected key=value, such as workload.seed=7");
    const std::string key = assignment.substr(0, equals);
    const std::string text = assignment.substr(equals + 1);
    nlohmann::json value = parseValue(key, text);
    if (value.is_discarded()) value = text;

    nlohmann::json json = sessionToJson(document);
    bool found = false;
    if (setsStrategies(key)) {
        for (auto& strategy : json["strategies"])
            found = setInStrategy(strategy, key, value, registry) || found;
    } else {
        const auto known = settableKeys(json, registry);
        found = setIn(json, key, value, {known.begin(), known.end()}, "");
        if (found && key == "backend.preset") json["backend"].erase("roofline");
        if (found && key.starts_with("backend.roofline")) json["backend"].erase("preset");
    }
    if (!found) refuseKey(key, json, registry);
    try {
        document = parseSession(json, registry, document.file);
    } catch (const DocumentError& error) {
        throw DocumentError("--set " + assignment + ": " + error.what());
    }
}

std::vector<std::string> whyNotRunnable(const SessionDocument& document, const Registry& registry)
{
    std::vector<std::string> reasons;
    const auto& workload = document.workload;
    if (document.strategies.empty()) reasons.push_back("strategies: the session has none; add at least one");
    if (workload.source.type == "synthetic" && !workload.requests)
        reasons.push_back("workload.requests: a synthetic source has no end; say how many requests to make");
    const bool has_lengths = workload.source.output_tokens || workload.lengths.mode;
    if (workload.source.type == "synthetic" && !has_lengths &&
        document.backend.type == BackendSpec::Type::Simulated)
        reasons.push_back(
            "workload.source.output_tokens: a simulated run has no model that could decide where an "
            "answer ends; give a distribution");
    const bool has_times = workload.source.type == "trace" || workload.source.type == "file";
    if (workload.arrivals.process == "trace" && !has_times)
        reasons.push_back(
            fmt::format("workload.arrivals.process: \"trace\" takes the times of the source, and a "
                        "{} source has none; choose another process",
                        workload.source.type));
    for (std::size_t i = 0; i < document.strategies.size(); ++i)
        if (asksForMissingAgeing(document.strategies[i].ordering, registry))
            reasons.push_back(fmt::format("strategies[{}].ordering.ageing: found something else than null or "
                                          "an object of \"absolute_s\" and "
                                          "\"factor\"; it is kept and not used, write one of these",
                                          i));
    return reasons;
}

Strategy completeStrategy(const Strategy& strategy, const Registry& registry)
{
    Strategy complete = strategy;
    for (const PartKind kind : k_part_kinds) {
        auto& part = partOf(complete, kind);
        if (const auto* descriptor = registry.find(kind, part.type))
            for (const auto& param : descriptor->params)
                part.params.try_emplace(param.name, param.default_value);
    }
    return complete;
}

} // namespace batchscope::sessions
