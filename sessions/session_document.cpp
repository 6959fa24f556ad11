// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/session_document.h"

#include "sessions/report.h"
#include "sessions/strategy_json.h"

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

SourceSpec readSource(ObjectReader& workload)
{
    SourceSpec source;
    const auto* value = workload.find("source");
    if (!value) return source;
    ObjectReader reader(*value, "workload.source", "/workload/source", workload.context());
    source.type = reader.choice("type", source.type, {"demo", "file", "dataset", "trace", "synthetic"});
    if (source.type != "demo" && source.type != "synthetic") {
        source.path = reader.text("path", "");
        if (source.path.empty()) reader.fail("path", "the path of a file, relative to the session file");
    }
    if (source.type == "dataset" || source.type == "trace") source.format = reader.text("format", "");
    if (source.type == "trace") reader.keep("speed");
    if (source.type == "synthetic") {
        reader.keep("prompt_tokens");
        reader.keep("output_tokens");
    }
    reader.finish();
    return source;
}

bool needsRate(const std::string& process)
{
    return process == "even" || process == "poisson" || process == "gamma" || process == "uniform";
}

ArrivalsSpec readArrivals(ObjectReader& workload)
{
    ArrivalsSpec arrivals;
    const auto* value = workload.find("arrivals");
    if (!value) return arrivals;
    ObjectReader reader(*value, "workload.arrivals", "/workload/arrivals", workload.context());
    arrivals.process = reader.choice(
        "process", arrivals.process,
        {"all-at-once", "even", "poisson", "gamma", "uniform", "stages", "trace", "closed-loop"});
    arrivals.rate = reader.real("rate", 0, true);
    if (needsRate(arrivals.process) && !arrivals.rate)
        reader.fail("rate",
                    "requests a second, a number above 0, for the process \"" + arrivals.process + "\"");
    if (arrivals.process == "all-at-once" || arrivals.process == "even")
        reader.finish();
    else if (arrivals.process == "poisson") {
        reader.keep("exact_mean_rate");
        reader.finish();
    } else
        reader.keepOthers(); // cv, shape, stages, clients, ...: the parameters of processes that come later
    return arrivals;
}

LengthsSpec readLengths(ObjectReader& workload)
{
    LengthsSpec lengths;
    const auto* value = workload.find("lengths");
    if (!value || value->is_null()) return lengths;
    ObjectReader reader(*value, "workload.lengths", "/workload/lengths", workload.context());
    if (!reader.isNull("mode")) {
        const auto mode = reader.choice("mode", "", {"free", "replayed", "fixed", "drawn"});
        for (const auto known :
             {LengthMode::Free, LengthMode::Replayed, LengthMode::Fixed, LengthMode::Drawn})
            if (lengthModeName(known) == mode) lengths.mode = known;
    }
    const auto tokens = reader.integer("tokens", 1, 1'000'000'000);
    if (tokens) lengths.tokens = static_cast<int>(*tokens);
    if (lengths.mode == LengthMode::Fixed && !tokens)
        reader.fail("tokens", "a whole number of at least 1 for the mode \"fixed\"");
    if (lengths.mode == LengthMode::Drawn) reader.keep("output_tokens");
    reader.finish();
    return lengths;
}

Sampling readSampling(ObjectReader& workload)
{
    Sampling sampling;
    const auto* value = workload.find("sampling");
    if (!value) return sampling;
    ObjectReader reader(*value, "workload.sampling", "/workload/sampling", workload.context());
    sampling.temperature = reader.real("temperature", 0, false, 100).value_or(sampling.temperature);
    sampling.top_p = reader.real("top_p", 0, true, 1).value_or(sampling.top_p);
    reader.finish();
    return sampling;
}

WorkloadSpec readWorkload(ObjectReader& document)
{
    WorkloadSpec workload;
    const auto* value = document.find("workload");
    if (!value) return workload;
    ObjectReader reader(*value, "workload", "/workload", document.context());
    workload.source = readSource(reader);
    if (const auto requests = reader.integer("requests", 1, 1'000'000'000))
        workload.requests = static_cast<int>(*requests);
    workload.seed = reader.unsignedInteger("seed").value_or(workload.seed);
    workload.arrivals = readArrivals(reader);
    workload.lengths = readLengths(reader);
    workload.sampling = readSampling(reader);
    workload.sampling.seed = workload.seed;
    reader.finish();
    return workload;
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
