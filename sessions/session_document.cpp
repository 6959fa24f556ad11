// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/session_document.h"

#include "sessions/backend_json.h"
#include "sessions/report.h"
#include "sessions/strategy_json.h"
#include "sessions/workload_json.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace batchscope::sessions {

namespace {

constexpr const char* k_schema_name = "batchscope.session/";
constexpr int k_schema_version = 1;
constexpr double k_longest_s = 9e9; // what int64 nanoseconds hold

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

std::optional<bool> readSwitch(ObjectReader& reader, const char* key)
{
    const auto* value = reader.find(key);
    if (!value || value->is_null()) return std::nullopt;
    if (!value->is_boolean()) reader.fail(key, "true, false or null");
    return value->get<bool>();
}

MeasureSpec readMeasure(ObjectReader& document)
{
    MeasureSpec measure;
    const auto* value = document.find("measure");
    if (!value || value->is_null()) return measure;
    ObjectReader reader(*value, "measure", "/measure", document.context());
    measure.warm_up_s = reader.real("warm_up_s", 0, false, k_longest_s);
    measure.warm_up_requests = reader.integer("warm_up_requests", 0, 1'000'000'000);
    constexpr const char* k_expected = "[from, to] in seconds of the run, from below to, either of them null";
    if (const auto* window = reader.find("window_s"); window && !window->is_null()) {
        if (!window->is_array() || window->size() != 2) reader.fail("window_s", k_expected);
        const auto bound = [&](std::size_t i) -> std::optional<double> {
            const auto& one = (*window)[i];
            if (one.is_null()) return std::nullopt;
            if (!one.is_number() || one.get<double>() < 0 || one.get<double>() > k_longest_s)
                reader.fail("window_s", k_expected);
            return one.get<double>();
        };
        measure.from_s = bound(0);
        measure.to_s = bound(1);
        if (measure.to_s && measure.from_s.value_or(0) >= *measure.to_s) reader.fail("window_s", k_expected);
    }
    reader.finish();
    return measure;
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

MeasuredPart MeasureSpec::part() const
{
    const auto nanos = [](double seconds) { return static_cast<Nanos>(std::floor(seconds * 1e9 + 0.5)); };
    MeasuredPart part;
    part.warm_up.requests = warm_up_requests;
    if (warm_up_s) part.warm_up.duration_ns = nanos(*warm_up_s);
    if (from_s || to_s) part.window = TimeSpan{from_s ? nanos(*from_s) : 0, to_s ? nanos(*to_s) : k_no_end};
    return part;
}

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
    document.vary_seed = readSwitch(reader, "vary_seed");
    document.measure = readMeasure(reader);
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
