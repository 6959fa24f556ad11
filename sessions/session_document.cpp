// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/session_document.h"

#include "sessions/report.h"
#include "sessions/strategy_json.h"
#include "sessions/workload_json.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace batchscope::sessions {

namespace {

constexpr const char* k_schema_name = "batchscope.session/";
constexpr int k_schema_version = 1;

void checkSchema(ObjectReader& reader)
{
    const std::string expected = fmt::format("\"{}{}\"", k_schema_name, k_schema_version);
    const std::string schema = reader.text("schema", "");
    if (schema == fmt::format("{}{}", k_schema_name, k_schema_version)) return;
    if (schema.starts_with(k_schema_name) && schema.find_first_not_of("0123456789", 19) == std::string::npos)
        reader.fail("schema",
                    expected + ", the newest that this version reads: update Batchscope to open this file");
    reader.fail("schema", expected);
}

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
        backend.preset = reader.text("preset", backend.preset);
        if (backend.preset.empty()) reader.fail("preset", "the name of a preset, or a preset file");
    }
    reader.finish();
    return backend;
}

std::vector<Strategy> readStrategies(ObjectReader& document, const Registry& registry)
{
    std::vector<Strategy> strategies;
    const auto* value = document.find("strategies");
    if (!value) return strategies;
    if (!value->is_array()) document.fail("strategies", "a list of strategies");
    std::set<std::string> names;
    for (std::size_t i = 0; i < value->size(); ++i) {
        const auto path = fmt::format("strategies[{}]", i);
        strategies.push_back(
            readStrategy((*value)[i], path, fmt::format("/strategies/{}", i), &registry, document.context()));
        if (!names.insert(strategies.back().name).second)
            failAt(document.context(), path + ".name", &(*value)[i]["name"],
                   "a name that no other strategy has");
    }
    return strategies;
}

} // namespace

std::filesystem::path SessionDocument::resolvePath(const std::string& path) const
{
    const std::filesystem::path given(path);
    if (given.is_absolute() || file.empty()) return given;
    return (file.parent_path() / given).lexically_normal();
}

SessionDocument parseSession(const nlohmann::json& json, const Registry& registry,
                             const std::filesystem::path& file)
{
    ReadContext context;
    context.file = file.string();
    ObjectReader reader(json, "", "", context);
    checkSchema(reader);
    SessionDocument document;
    document.file = file;
    document.raw = json;
    document.name = reader.line("name", document.name);
    document.notes = reader.text("notes", "");
    document.repetitions = static_cast<int>(reader.integer("repetitions", 1, 1000).value_or(1));
    document.backend = readBackend(reader);
    document.workload = readWorkload(reader);
    document.strategies = readStrategies(reader, registry);
    reader.keep("published"); // sessions/published.h reads it
    reader.finish();
    document.kept = std::move(context.kept);
    document.warnings = std::move(context.warnings);
    return document;
}

SessionDocument readSession(const std::filesystem::path& file, const Registry& registry)
{
    std::vector<std::string> repeated;
    const auto json = parseJson(readFile(file.string()), file.string(), &repeated);
    auto document = parseSession(json, registry, file);
    for (const auto& path : repeated)
        document.warnings.push_back(path + ": the key is given twice in one object, the last one counts");
    return document;
}

} // namespace batchscope::sessions
