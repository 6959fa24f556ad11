// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/strategy_json.h"

#include "sessions/nearest_name.h"
#include "sessions/session_document.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace batchscope::sessions {

namespace {

struct Leaf
{
    std::string name;    // dotted from the part
    std::string pointer; // of the value
    const nlohmann::json* value = nullptr;
};

void collectLeaves(const nlohmann::json& object, const std::string& prefix, const std::string& pointer,
                   std::vector<Leaf>& leaves)
{
    for (const auto& [key, value] : object.items()) {
        const std::string name = prefix.empty() ? key : prefix + "." + key;
        const std::string at = pointer + "/" + pointerToken(key);
        if (value.is_object() && !value.empty())
            collectLeaves(value, name, at, leaves);
        else
            leaves.push_back({name, at, &value});
    }
}

std::string expectedNumber(const ParamDescriptor& param, const char* kind)
{
    std::string text = kind;
    if (param.minimum && param.maximum)
        text += fmt::format(" from {} to {}", *param.minimum, *param.maximum);
    else if (param.minimum)
        text += fmt::format(" of at least {}", *param.minimum);
    else if (param.maximum)
        text += fmt::format(" of at most {}", *param.maximum);
    if (!param.unit.empty()) text += " (" + param.unit + ")";
    if (param.nullable) text += " or null";
    return text;
}

ParamValue numberParam(const nlohmann::json& value, const ParamDescriptor& param, const std::string& path,
                       const ReadContext& context)
{
    const bool whole = param.type == ParamType::Integer;
    const auto expected = expectedNumber(param, whole ? "a whole number" : "a number");
    if (!value.is_number() || (whole && !value.is_number_integer())) failAt(context, path, &value, expected);
    const double number = value.get<double>();
    if (!std::isfinite(number) || (param.minimum && number < *param.minimum) ||
        (param.maximum && number > *param.maximum) || (whole && std::abs(number) > 9.2e18))
        failAt(context, path, &value, expected);
    return whole ? ParamValue(value.get<std::int64_t>()) : ParamValue(number);
}

// A value whose type nothing declares, where a parameter can hold it.
std::optional<ParamValue> looseParam(const nlohmann::json& value)
{
    if (value.is_null()) return ParamValue(std::monostate{});
    if (value.is_boolean()) return ParamValue(value.get<bool>());
    if (value.is_number_integer()) return ParamValue(value.get<std::int64_t>());
    if (value.is_number_float()) return ParamValue(value.get<double>());
    if (value.is_string()) return ParamValue(value.get<std::string>());
    return std::nullopt;
}

// A wrapper that the format allows around every ordering, whether or not this version has it: never read
// over.
bool isAgeing(PartKind kind, const std::string& name)
{
    return kind == PartKind::Ordering && (name == "ageing" || name.starts_with("ageing."));
}

class PartReader
{
public:
    PartReader(PartKind kind, const std::string& path, const Registry* registry, ReadContext& context)
        : m_kind(kind), m_path(path), m_registry(registry), m_context(context)
    {}

    PartSpec read(const nlohmann::json& json, const std::string& pointer)
    {
        ObjectReader reader(json, m_path, pointer, m_context);
        PartSpec spec;
        spec.type = readType(reader);
        m_descriptor = m_registry ? m_registry->find(m_kind, spec.type) : nullptr;
        if (m_descriptor)
            for (const auto& param : m_descriptor->params)
                m_context.known.insert(m_path + "." + param.name);
        std::vector<Leaf> leaves;
        collectLeaves(json, "", pointer, leaves);
        for (const auto& leaf : leaves)
            if (leaf.name != "type") readLeaf(leaf, spec);
        return spec;
    }

private:
    std::string readType(ObjectReader& reader)
    {
        std::vector<std::string> types = formatTypes(m_kind);
        if (m_registry)
            for (const auto* part : m_registry->parts(m_kind))
                if (std::find(types.begin(), types.end(), part->type) == types.end())
                    types.push_back(part->type);
        const auto* value = reader.find("type");
        if (!value || !value->is_string()) reader.fail("type", oneOf(types));
        return m_registry ? reader.choice("type", "", types) : value->get<std::string>();
    }

    const ParamDescriptor* declared(const std::string& name) const
    {
        if (!m_descriptor) return nullptr;
        for (const auto& param : m_descriptor->params)
            if (param.name == name) return &param;
        return nullptr;
    }

    // "ageing": null says of a whole object that it is not there.
    bool isAbsentObject(const Leaf& leaf) const
    {
        if (!leaf.value->is_null() && !leaf.value->is_object()) return false;
        if (isAgeing(m_kind, leaf.name)) return leaf.name == "ageing";
        return m_descriptor &&
               std::any_of(m_descriptor->params.begin(), m_descriptor->params.end(),
                           [&](const auto& param) { return param.name.starts_with(leaf.name + "."); });
    }

    void readLeaf(const Leaf& leaf, PartSpec& spec)
    {
        const std::string path = m_path + "." + leaf.name;
        if (const auto* param = declared(leaf.name)) {
            spec.params[leaf.name] = typedParam(*leaf.value, *param, path, m_context);
            return;
        }
        if (isAbsentObject(leaf)) {
            m_context.kept.push_back(leaf.pointer);
            return;
        }
        // A part of a later version, or ageing before there is any: kept as parameters, so that the check
        // before a run refuses them with the reason instead of leaving them out in silence.
        if (!m_descriptor || isAgeing(m_kind, leaf.name)) {
            if (const auto value = looseParam(*leaf.value))
                spec.params[leaf.name] = *value;
            else
                m_context.kept.push_back(leaf.pointer);
            return;
        }
        std::vector<std::string> names{"type"};
        for (const auto& param : m_descriptor->params)
            names.push_back(param.name);
        m_context.kept.push_back(leaf.pointer);
        m_context.warnings.push_back(fmt::format("{}: unknown key of {} \"{}\", kept but not used{}", path,
                                                 partKindName(m_kind), m_descriptor->type,
                                                 didYouMean(leaf.name, names)));
    }

    PartKind m_kind;
    std::string m_path;
    const Registry* m_registry;
    ReadContext& m_context;
    const PartDescriptor* m_descriptor = nullptr;
};

Limits readLimits(ObjectReader& strategy)
{
    Limits limits;
    const auto* value = strategy.find("limits");
    if (!value) return limits;
    ObjectReader reader(*value, strategy.pathOf("limits"), strategy.pointerOf("limits"), strategy.context());
    constexpr std::int64_t k_longest_answer = 1'000'000'000;
    limits.max_new_tokens = static_cast<int>(
        reader.integer("max_new_tokens", 1, k_longest_answer).value_or(limits.max_new_tokens));
    limits.kv_bytes = reader.integer("kv_bytes", 1);
    reader.finish();
    return limits;
}

std::optional<Slo> readSlo(ObjectReader& strategy)
{
    if (strategy.isNull("slo")) return std::nullopt;
    ObjectReader reader(*strategy.find("slo"), strategy.pathOf("slo"), strategy.pointerOf("slo"),
                        strategy.context());
    Slo slo;
    slo.ttft_s = reader.real("ttft_s", 0, true);
    slo.tpot_s = reader.real("tpot_s", 0, true);
    slo.e2el_s = reader.real("e2el_s", 0, true);
    reader.finish();
    return slo;
}

std::vector<std::string> readCompat(ObjectReader& strategy)
{
    std::vector<std::string> names;
    const auto* value = strategy.find("compat");
    if (!value) return names;
    if (!value->is_array()) strategy.fail("compat", "a list of names");
    for (std::size_t i = 0; i < value->size(); ++i) {
        if (!(*value)[i].is_string())
            failAt(strategy.context(), fmt::format("{}[{}]", strategy.pathOf("compat"), i), &(*value)[i],
                   "a text");
        names.push_back((*value)[i].get<std::string>());
    }
    return names;
}

nlohmann::json paramToJson(const ParamValue& value)
{
    return std::visit(
        [](const auto& held) -> nlohmann::json {
            if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::monostate>)
                return nullptr;
            else
                return held;
        },
        value);
}

nlohmann::json partToJson(const PartSpec& spec)
{
    nlohmann::json json = {{"type", spec.type}};
    for (const auto& [name, value] : spec.params) {
        nlohmann::json* at = &json;
        std::size_t begin = 0;
        for (auto dot = name.find('.'); dot != std::string::npos; dot = name.find('.', begin)) {
            at = &(*at)[name.substr(begin, dot - begin)];
            begin = dot + 1;
        }
        (*at)[name.substr(begin)] = paramToJson(value);
    }
    return json;
}

nlohmann::json optionalToJson(const std::optional<double>& value)
{
    return value && std::isfinite(*value) ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

} // namespace

ParamValue typedParam(const nlohmann::json& value, const ParamDescriptor& param, const std::string& path,
                      const ReadContext& context)
{
    if (value.is_null() && param.nullable) return std::monostate{};
    const std::string or_null = param.nullable ? " or null" : "";
    switch (param.type) {
    case ParamType::Boolean:
        if (!value.is_boolean()) failAt(context, path, &value, "true or false" + or_null);
        return value.get<bool>();
    case ParamType::Integer:
    case ParamType::Real:
        return numberParam(value, param, path, context);
    case ParamType::Choice: {
        if (!value.is_string()) failAt(context, path, &value, oneOf(param.choices) + or_null);
        const auto chosen = value.get<std::string>();
        if (std::find(param.choices.begin(), param.choices.end(), chosen) == param.choices.end())
            failAt(context, path, &value, oneOf(param.choices) + or_null + didYouMean(chosen, param.choices));
        return chosen;
    }
    case ParamType::Text:
    case ParamType::File:
        if (!value.is_string()) failAt(context, path, &value, "a text" + or_null);
        return value.get<std::string>();
    }
    failAt(context, path, &value, "a parameter of a known type");
}

const std::vector<std::string>& formatTypes(PartKind kind)
{
    static const std::vector<std::string> predictors{
        "none", "constant", "oracle",     "noisy-oracle", "recorded", "lexical", "pia",
        "po",   "lora",     "pooled-mlp", "len-token",    "bert",     "rank",    "progressive"};
    static const std::vector<std::string> orderings{"fcfs",     "sjf",  "srpt", "ljf",  "bins",
                                                    "priority", "mlfq", "hrrn", "fair", "rank"};
    static const std::vector<std::string> modes{"none", "static", "grouped", "continuous"};
    static const std::vector<std::string> corrections{"none", "fcr", "extend", "demote"};
    switch (kind) {
    case PartKind::Predictor:
        return predictors;
    case PartKind::Ordering:
        return orderings;
    case PartKind::Batching:
        return modes;
    case PartKind::Correction:
        break;
    }
    return corrections;
}

PartSpec& partOf(Strategy& strategy, PartKind kind)
{
    return const_cast<PartSpec&>(partOf(std::as_const(strategy), kind));
}

const PartSpec& partOf(const Strategy& strategy, PartKind kind)
{
    switch (kind) {
    case PartKind::Predictor:
        return strategy.predictor;
    case PartKind::Ordering:
        return strategy.ordering;
    case PartKind::Batching:
        return strategy.batching;
    case PartKind::Correction:
        break;
    }
    return strategy.correction;
}

Strategy readStrategy(const nlohmann::json& json, const std::string& path, const std::string& pointer,
                      const Registry* registry, ReadContext& context)
{
    ObjectReader reader(json, path, pointer, context);
    Strategy strategy;
    strategy.name =
        registry ? reader.line("name", "") : reader.text("name", ""); // stored runs are read as kept
    if (registry && strategy.name.empty()) reader.fail("name", "a text that is not empty");
    for (const PartKind kind : k_part_kinds) {
        const std::string key = partKindName(kind);
        if (const auto* part = reader.find(key))
            partOf(strategy, kind) =
                PartReader(kind, reader.pathOf(key), registry, context).read(*part, reader.pointerOf(key));
    }
    strategy.limits = readLimits(reader);
    strategy.slo = readSlo(reader);
    strategy.compat = readCompat(reader);
    reader.finish();
    return strategy;
}

nlohmann::json strategyToJson(const Strategy& strategy)
{
    nlohmann::json json = {{"name", strategy.name}};
    for (const PartKind kind : k_part_kinds)
        json[partKindName(kind)] = partToJson(partOf(strategy, kind));
    const auto& kv = strategy.limits.kv_bytes;
    json["limits"] = {{"max_new_tokens", strategy.limits.max_new_tokens},
                      {"kv_bytes", kv ? nlohmann::json(*kv) : nlohmann::json(nullptr)}};
    json["slo"] = nullptr;
    if (strategy.slo)
        json["slo"] = {{"ttft_s", optionalToJson(strategy.slo->ttft_s)},
                       {"tpot_s", optionalToJson(strategy.slo->tpot_s)},
                       {"e2el_s", optionalToJson(strategy.slo->e2el_s)}};
    json["compat"] = strategy.compat;
    return json;
}

Strategy strategyFromJson(const nlohmann::json& json, const std::string& json_path, const Registry& registry,
                          std::vector<std::string>* warnings)
{
    ReadContext context;
    Strategy strategy = readStrategy(json, json_path, "", &registry, context);
    if (warnings) warnings->insert(warnings->end(), context.warnings.begin(), context.warnings.end());
    return strategy;
}

} // namespace batchscope::sessions
