// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulated/cost_model.h"

#include "engine/checkpoint/atomic_file.h"
#include "engine/checkpoint/json_fields.h"
#include "engine/error.h"
#include "engine/simulated/wide.h"
#include "scheduler/backend.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace batchscope::engine {

namespace {

constexpr const char* k_schema = "batchscope.cost-model/1";

using Json = nlohmann::json;

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& path, const std::string& found,
                         const std::string& expected)
{
    throw EngineError(ErrorKind::InvalidFile,
                      fmt::format("{}: {} is {}, expected {}", file.string(), path, found, expected));
}

// A readable copy of a value for a message.
std::string shown(const Json& value)
{
    const std::string text = value.dump();
    return text.size() <= 60 ? text : text.substr(0, 57) + "...";
}

// One object of the document, with the place it has there.
class Section
{
public:
    Section(const std::filesystem::path& file, const Json& object, std::string path)
        : m_file(file), m_object(object), m_path(std::move(path))
    {
        if (!m_object.is_object()) refuse(m_file, m_path, shown(m_object), "an object");
    }

    Section child(const std::string& key) const
    {
        static const Json s_empty = Json::object();
        const auto found = m_object.find(key);
        return {m_file, found == m_object.end() ? s_empty : *found, m_path + "." + key};
    }

    std::string text(const std::string& key, const std::string& fallback) const
    {
        const auto found = m_object.find(key);
        if (found == m_object.end()) return fallback;
        if (!found->is_string()) refuse(m_file, m_path + "." + key, shown(*found), "a text");
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
            refuse(m_file, m_path + "." + key, shown(*found),
                   fmt::format("an integer from 0 to {}", maximum));
        return found->get<std::int64_t>();
    }

    std::int64_t requiredInteger(const std::string& key) const
    {
        const auto value = integer(key);
        if (!value) refuse(m_file, m_path + "." + key, "absent", "an integer of picoseconds, 0 or more");
        return *value;
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

Wide exactPassTime(const CostModel& model, const PassWork& work)
{
    return Wide(model.pass_ps) + Wide(model.row_ps) * work.rows +
           Wide(model.context_token_ps) * work.context_tokens +
           Wide(model.prefill_token_ps) * work.prefill_tokens +
           (work.reads_prompts ? Wide(model.reading_pass_ps) : Wide(0));
}

bool isTooLong(Wide sum_ps)
{
    return sum_ps > Wide(std::numeric_limits<Picos>::max());
}

[[noreturn]] void refuseTime(const CostModel& model, const std::string& what)
{
    throw BackendError(
        fmt::format("cost model '{}': {} takes more than the 106 days that fit; check its coefficients",
                    model.name, what));
}

} // namespace

Picos passTime(const CostModel& model, const PassWork& work)
{
    const Wide sum = exactPassTime(model, work);
    if (isTooLong(sum))
        refuseTime(model,
                   fmt::format("a pass of {} rows and {} context tokens", work.rows, work.context_tokens));
    return static_cast<Picos>(sum);
}

Nanos serviceAlone(const CostModel& model, std::int64_t prompt_tokens, std::int64_t passes)
{
    if (passes < 1) return 0;
    const PassWork reading{1, prompt_tokens, prompt_tokens, true};
    const PassWork decoding{1, prompt_tokens, 0, false}; // its context grows by a token a pass
    const Wide later = passes - 1;
    const Wide sum = exactPassTime(model, reading) + exactPassTime(model, decoding) * later +
                     Wide(model.context_token_ps) * (later * passes / 2);
    if (isTooLong(sum))
        refuseTime(model, fmt::format("a request of {} prompt tokens in {} passes", prompt_tokens, passes));
    return static_cast<Nanos>(sum / k_picos_per_nano);
}

CostModel readCostModel(const std::filesystem::path& file)
{
    const Json json = parseDocument(file);
    const Section root(file, json, "$");
    const std::string schema = root.text("schema", "");
    if (schema != k_schema) refuse(file, "$.schema", Json(schema).dump(), Json(k_schema).dump());

    CostModel model;
    model.name = root.text("name", file.stem().string());
    model.title = root.text("title", model.name);
    model.basis = root.text("basis", "");

    const Section coefficients = root.child("coefficients_ps");
    model.pass_ps = coefficients.requiredInteger("pass");
    model.row_ps = coefficients.requiredInteger("row");
    model.context_token_ps = coefficients.requiredInteger("context_token");
    model.prefill_token_ps = coefficients.requiredInteger("prefill_token");
    model.reading_pass_ps = coefficients.requiredInteger("reading_pass");

    model.swap_token_ps = coefficients.integer("swap_token").value_or(0);

    const Section prediction = root.child("prediction_ns");
    model.prediction_call_ns = prediction.integer("call").value_or(0);
    model.prediction_request_ns = prediction.integer("request").value_or(0);

    const Section memory = root.child("memory");
    model.context =
        static_cast<int>(memory.integer("context_tokens", std::numeric_limits<int>::max()).value_or(0));
    model.weights_bytes = memory.integer("weights_bytes").value_or(0);
    model.kv_bytes_per_token = memory.integer("kv_bytes_per_token").value_or(0);
    model.kv_bytes = memory.integer("kv_bytes");
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
