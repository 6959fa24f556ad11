// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/backend_json.h"

#include "sessions/nearest_name.h"
#include "sessions/strategy_json.h"

#include <algorithm>
#include <fmt/format.h>

namespace batchscope::sessions {

namespace {

void readFigures(const nlohmann::json& object, const std::string& prefix, const std::string& path,
                 const std::string& pointer, ReadContext& context, RooflineFigures& figures)
{
    if (!object.is_object()) failAt(context, path, &object, "an object");
    const auto& knobs = rooflineKnobs();
    for (const auto& [key, value] : object.items()) {
        const std::string name = prefix + key;
        const std::string at = path + "." + key, below = pointer + "/" + pointerToken(key);
        const auto knob =
            std::find_if(knobs.begin(), knobs.end(), [&](const auto& each) { return each.name == name; });
        const bool is_section = std::any_of(
            knobs.begin(), knobs.end(), [&](const auto& each) { return each.name.starts_with(name + "."); });
        if (knob != knobs.end()) {
            figures[name] = typedParam(value, *knob, at, context);
        } else if (is_section) {
            readFigures(value, name + ".", at, below, context, figures);
        } else {
            std::vector<std::string> names;
            for (const ParamDescriptor& each : knobs)
                names.push_back(each.name);
            context.kept.push_back(below);
            context.warnings.push_back(fmt::format("{}: unknown figure of a roofline, kept but not used{}",
                                                   at, didYouMean(name, names)));
        }
    }
}

void readSimulator(ObjectReader& reader, BackendSpec& backend)
{
    backend.preset = reader.text("preset", backend.preset);
    if (backend.preset.empty()) reader.fail("preset", "the name of a preset, or a preset file");
    if (!reader.isNull("roofline")) {
        if (!reader.isNull("preset"))
            reader.fail("roofline", "nothing beside \"preset\": a cost model is the one or the other");
        backend.roofline.emplace();
        readFigures(*reader.find("roofline"), "", reader.pathOf("roofline"), reader.pointerOf("roofline"),
                    reader.context(), *backend.roofline);
    }
    if (reader.isNull("predictor_cost")) return;
    ObjectReader cost(*reader.find("predictor_cost"), reader.pathOf("predictor_cost"),
                      reader.pointerOf("predictor_cost"), reader.context());
    constexpr double k_hour_s = 3600;
    backend.predictor_cost.emplace();
    backend.predictor_cost->per_call_s = cost.real("per_call_s", 0, false, k_hour_s).value_or(0);
    backend.predictor_cost->per_request_s = cost.real("per_request_s", 0, false, k_hour_s).value_or(0);
    cost.finish();
}

nlohmann::json figureJson(const ParamValue& value)
{
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole;
    if (const auto* real = std::get_if<double>(&value)) return *real;
    if (const auto* text = std::get_if<std::string>(&value)) return *text;
    return nullptr;
}

nlohmann::json figuresJson(const RooflineFigures& figures)
{
    nlohmann::json json = nlohmann::json::object();
    for (const auto& [name, value] : figures) {
        const auto dot = name.find('.');
        if (dot == std::string::npos)
            json[name] = figureJson(value);
        else
            json[name.substr(0, dot)][name.substr(dot + 1)] = figureJson(value);
    }
    return json;
}

} // namespace

BackendSpec readBackend(ObjectReader& document)
{
    BackendSpec backend;
    backend.model = "demo";
    const auto* value = document.find("backend");
    if (!value) return backend;
    ObjectReader reader(*value, "backend", "/backend", document.context());
    const std::string type = reader.choice("type", "torch", {"torch", "simulated"});
    backend.type = type == "torch" ? BackendSpec::Type::Torch : BackendSpec::Type::Simulated;
    if (backend.type == BackendSpec::Type::Torch) {
        backend.model = reader.text("model", backend.model);
        if (backend.model.empty())
            reader.fail("model", "a model folder, or \"demo\" for the model in the box");
        backend.dtype = reader.choice("dtype", backend.dtype, {"f32", "bf16", "f16"});
        backend.device = reader.text("device", backend.device);
        if (backend.device.empty()) reader.fail("device", "a device, such as \"cpu\" or \"cuda:0\"");
        backend.threads = static_cast<int>(reader.integer("threads", 0, 4096).value_or(0));
    } else {
        backend.model.clear();
        readSimulator(reader, backend);
    }
    reader.finish();
    return backend;
}

nlohmann::json backendToJson(const BackendSpec& backend)
{
    if (backend.type == BackendSpec::Type::Torch)
        return {{"type", "torch"},
                {"model", backend.model},
                {"dtype", backend.dtype},
                {"device", backend.device},
                {"threads", backend.threads}};
    nlohmann::json json{{"type", "simulated"}};
    if (backend.roofline)
        json["roofline"] = figuresJson(*backend.roofline);
    else
        json["preset"] = backend.preset;
    if (const auto& cost = backend.predictor_cost)
        json["predictor_cost"] = {{"per_call_s", cost->per_call_s}, {"per_request_s", cost->per_request_s}};
    return json;
}

std::vector<std::string> simulatorKeys()
{
    std::vector<std::string> keys{"preset", "predictor_cost.per_call_s", "predictor_cost.per_request_s"};
    for (const ParamDescriptor& knob : rooflineKnobs())
        keys.push_back("roofline." + knob.name);
    return keys;
}

std::string costModelName(const BackendSpec& backend)
{
    return backend.roofline ? "roofline: " + describeRoofline(*backend.roofline) : backend.preset;
}

} // namespace batchscope::sessions
