// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulated/cost_model_file.h"

#include "engine/checkpoint/atomic_file.h"
#include "engine/checkpoint/json_fields.h"
#include "engine/error.h"
#include "engine/simulated/roofline.h"
#include "scheduler/error.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace batchscope::engine {

namespace {

constexpr const char* k_schema = "batchscope.cost-model/1";

using Json = nlohmann::json;

// One object of the document, with the place it has there.
class Section
{
public:
    Section(const std::filesystem::path& file, const Json& object, std::string path)
        : m_file(file), m_object(object), m_path(std::move(path))
    {
        if (!m_object.is_object()) refuse(m_path, shownJson(m_object), "an object");
    }

    bool has(const std::string& key) const { return m_object.contains(key); }
    Section child(const std::string& key) const
    {
        static const Json s_empty = Json::object();
        const auto found = m_object.find(key);
        return {m_file, found == m_object.end() ? s_empty : *found, m_path + "." + key};
    }
    const Json& json() const { return m_object; }

    void allowOnly(const std::vector<std::string>& keys) const
    {
        for (const auto& [key, value] : m_object.items())
            if (std::find(keys.begin(), keys.end(), key) == keys.end())
                refuse(m_path + "." + key, "no key of a cost model",
                       fmt::format("one of {}", fmt::join(keys, ", ")));
    }

    std::string text(const std::string& key, const std::string& fallback) const
    {
        const auto found = m_object.find(key);
        if (found == m_object.end()) return fallback;
        if (!found->is_string()) refuseKey(key, "a text");
        return found->get<std::string>();
    }

    std::optional<std::int64_t> integer(const std::string& key,
                                        std::int64_t maximum = std::numeric_limits<std::int64_t>::max()) const
    {
        const auto found = m_object.find(key);
        if (found == m_object.end() || found->is_null()) return std::nullopt;
        const bool fits = found->is_number_integer() &&
                          (!found->is_number_unsigned() ||
                           found->get<std::uint64_t>() <= static_cast<std::uint64_t>(maximum));
        if (!fits || found->get<std::int64_t>() < 0 || found->get<std::int64_t>() > maximum)
            refuseKey(key, fmt::format("an integer from 0 to {}", maximum));
        return found->get<std::int64_t>();
    }

    std::int64_t requiredInteger(const std::string& key) const
    {
        const auto value = integer(key);
        if (!value) refuse(m_path + "." + key, "absent", "an integer of picoseconds, 0 or more");
        return *value;
    }

    double share(const std::string& key) const // 0 or more, required
    {
        const auto found = m_object.find(key);
        if (found == m_object.end() || !found->is_number() || found->get<double>() < 0)
            refuseKey(key, "a number of at least 0, as a share (0.05: 5 %)");
        return found->get<double>();
    }

    [[noreturn]] void refuseKey(const std::string& key, const std::string& expected) const
    {
        const auto found = m_object.find(key);
        refuse(m_path + "." + key, found == m_object.end() ? "absent" : shownJson(*found), expected);
    }
    [[noreturn]] void refuse(const std::string& path, const std::string& found,
                             const std::string& expected) const
    {
        throw EngineError(ErrorKind::InvalidFile,
                          fmt::format("{}: {} is {}, expected {}", m_file.string(), path, found, expected));
    }

private:
    const std::filesystem::path& m_file;
    const Json& m_object;
    std::string m_path;
};

Json parseDocument(const std::filesystem::path& file)
{
    const std::string text = readWholeFile(file);
    const auto bounded = [&](int depth, Json::parse_event_t, const Json&) {
        refuseDeep(depth, file.string());
        return true;
    };
    try {
        return Json::parse(text, bounded);
    } catch (const Json::parse_error& error) {
        throw EngineError(ErrorKind::InvalidFile,
                          fmt::format("{}: not valid JSON at byte {}; expected a \"{}\" document",
                                      file.string(), error.byte, k_schema));
    }
}

ParamValue figureOf(const Section& section, const std::string& key, const Json& value,
                    const ParamDescriptor& knob)
{
    ParamValue figure;
    if (value.is_number_integer() && value.get<double>() <= 9e18)
        figure = value.get<std::int64_t>();
    else if (value.is_number())
        figure = value.get<double>();
    else if (value.is_string())
        figure = value.get<std::string>();
    if (!paramFault(knob, figure).empty())
        section.refuseKey(key,
                          paramFault(knob, figure).substr(paramFault(knob, figure).find("expected") + 9));
    return figure;
}

// "roofline": {"device": {"peak_tflops": ...}, "model": {...}, "attention": {...}, "overlap": "max"}
void readFigures(const Section& section, const std::string& prefix, RooflineFigures& figures)
{
    const auto& knobs = rooflineKnobs();
    for (const auto& [key, value] : section.json().items()) {
        const std::string name = prefix + key;
        if (value.is_object()) {
            readFigures(section.child(key), name + ".", figures);
            continue;
        }
        const auto knob =
            std::find_if(knobs.begin(), knobs.end(), [&](const auto& each) { return each.name == name; });
        if (knob == knobs.end()) {
            std::vector<std::string> here;
            for (const ParamDescriptor& each : knobs)
                if (each.name.starts_with(prefix)) here.push_back(each.name.substr(prefix.size()));
            section.allowOnly(here);
        }
        figures[name] = figureOf(section, key, value, *knob);
    }
}

void readLinear(const Section& root, CostModel& model)
{
    const Section c = root.child("coefficients_ps");
    c.allowOnly({"pass", "row", "context_token", "prefill_token", "reading_pass", "attended_token",
                 "mixed_row", "swap_token"});
    const bool adds = model.kind == CostKind::Roofline; // to what the roofline gives
    const auto read = [&](const char* key) {
        return adds ? c.integer(key).value_or(0) : c.requiredInteger(key);
    };
    model.pass_ps += read("pass");
    model.row_ps = read("row");
    model.context_token_ps = read("context_token");
    model.prefill_token_ps = read("prefill_token");
    model.reading_pass_ps = read("reading_pass");
    model.attended_token_ps = c.integer("attended_token").value_or(0);
    model.mixed_row_ps = c.integer("mixed_row").value_or(0);
    model.swap_token_ps = c.integer("swap_token").value_or(model.swap_token_ps);
}

void readMemory(const Section& root, CostModel& model)
{
    const Section memory = root.child("memory");
    memory.allowOnly({"context_tokens", "weights_bytes", "kv_bytes_per_token", "kv_bytes"});
    const auto context = memory.integer("context_tokens", std::numeric_limits<int>::max());
    model.context = static_cast<int>(context.value_or(model.context));
    model.weights_bytes = memory.integer("weights_bytes").value_or(model.weights_bytes);
    model.kv_bytes_per_token = memory.integer("kv_bytes_per_token").value_or(model.kv_bytes_per_token);
    if (memory.has("kv_bytes")) model.kv_bytes = memory.integer("kv_bytes");
}

std::optional<FitError> readFit(const Section& root, CostKind kind)
{
    if (!root.has("fit")) {
        if (kind == CostKind::Calibrated)
            root.refuseKey("fit", "an object with to, points, mean_relative_error and max_relative_error: a "
                                  "calibrated model says how well it fits");
        return std::nullopt;
    }
    const Section section = root.child("fit");
    section.allowOnly({"to", "points", "mean_relative_error", "max_relative_error"});
    FitError fit;
    fit.to = section.text("to", "");
    if (fit.to.empty()) section.refuseKey("to", "a text: what the model was fitted to");
    fit.points = static_cast<int>(section.integer("points", std::numeric_limits<int>::max()).value_or(0));
    if (fit.points < 1) section.refuseKey("points", "an integer of at least 1");
    fit.mean_relative_error = section.share("mean_relative_error");
    fit.max_relative_error = section.share("max_relative_error");
    return fit;
}

CostKind readKind(const Section& root)
{
    const std::string kind = root.text("kind", "linear");
    for (const CostKind known : {CostKind::Linear, CostKind::Roofline, CostKind::Calibrated})
        if (kind == costKindName(known)) return known;
    root.refuseKey("kind", "\"linear\", \"roofline\" or \"calibrated\"");
}

CostModel rooflineOf(const std::filesystem::path& file, const Section& root)
{
    RooflineFigures figures;
    readFigures(root.child("roofline"), "", figures);
    try {
        return rooflineModel(figures);
    } catch (const SchedulerError& error) {
        throw EngineError(ErrorKind::InvalidFile, fmt::format("{}: $.{}", file.string(), error.what()));
    }
}

} // namespace

CostModel readCostModel(const std::filesystem::path& file)
{
    const Json json = parseDocument(file);
    const Section root(file, json, "$");
    const std::string schema = root.text("schema", "");
    if (schema != k_schema) root.refuse("$.schema", Json(schema).dump(), Json(k_schema).dump());

    const CostKind kind = readKind(root);
    if ((kind == CostKind::Roofline) != root.has("roofline"))
        root.refuseKey("roofline", kind == CostKind::Roofline
                                       ? "an object of figures, since $.kind is \"roofline\""
                                       : "nothing, unless $.kind is \"roofline\"");
    CostModel model = kind == CostKind::Roofline ? rooflineOf(file, root) : CostModel{};
    model.kind = kind;
    model.name = root.text("name", file.stem().string());
    model.title = root.text("title", model.name);
    model.basis = root.text("basis", model.basis);
    model.fit = readFit(root, kind);
    readLinear(root, model);
    const Section prediction = root.child("prediction_ns");
    prediction.allowOnly({"call", "request"});
    model.prediction_call_ns = prediction.integer("call").value_or(0);
    model.prediction_request_ns = prediction.integer("request").value_or(0);
    readMemory(root, model);
    return model;
}

std::vector<std::string> costModelPresets(const std::filesystem::path& presets_dir)
{
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(presets_dir, error))
        if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
    std::sort(names.begin(), names.end());
    return names;
}

CostModel loadCostModel(const std::string& preset, const std::filesystem::path& presets_dir)
{
    if (std::filesystem::path(preset).extension() == ".json") return readCostModel(preset);
    const auto names = costModelPresets(presets_dir);
    if (std::find(names.begin(), names.end(), preset) == names.end())
        throw EngineError(
            ErrorKind::InvalidFile,
            fmt::format("there is no cost model preset '{}' in {}; choose one of {}, or give the path of "
                        "a \"{}\" file ending in .json",
                        preset, presets_dir.string(),
                        names.empty() ? std::string("(none found)")
                                      : fmt::format("{}", fmt::join(names, ", ")),
                        k_schema));
    return readCostModel(presets_dir / (preset + ".json"));
}

} // namespace batchscope::engine
