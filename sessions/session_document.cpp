// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/session_document.h"

#include "sessions/backend_json.h"
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
