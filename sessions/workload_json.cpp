// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/workload_json.h"

#include "sessions/distribution_json.h"

#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace batchscope::sessions {

namespace {

SourceSpec readSource(ObjectReader& workload)
{
    SourceSpec source;
    const auto* value = workload.find("source");
    if (!value) return source;
    ObjectReader reader(*value, "workload.source", "/workload/source", workload.context());
    source.type = reader.choice("type", source.type, {"demo", "file", "dataset", "trace", "synthetic"});
    const bool has_file = source.type != "demo" && source.type != "synthetic";
    if (has_file) {
        source.path = reader.text("path", "");
        if (source.path.empty()) reader.fail("path", "the path of a file, relative to the session file");
        source.zero_tokens = reader.choice("zero_tokens", source.zero_tokens, {"skip", "clip"});
    }
    if (source.type == "dataset" || source.type == "trace") source.format = reader.text("format", "");
    if (source.type == "file" || source.type == "trace") {
        source.time_unit = reader.choice("time_unit", "", {"", "s", "ms", "us", "ns"});
        source.speed = reader.real("speed", 0, true).value_or(1);
    }
    if (source.type == "dataset") source.turns = reader.choice("turns", source.turns, {"first", "all"});
    if (source.type == "synthetic") {
        source.prompt_tokens = readDistribution(reader, "prompt_tokens");
        source.output_tokens = readDistribution(reader, "output_tokens");
        source.clients = readDistribution(reader, "clients");
        source.priorities = readDistribution(reader, "priorities");
        if (!source.prompt_tokens)
            reader.fail("prompt_tokens",
                        "a distribution, such as {\"distribution\": \"lognormal\", \"mean\": "
                        "160, \"sigma\": 0.8}");
    }
    reader.finish();
    return source;
}

std::vector<RateStage> readStages(ObjectReader& arrivals)
{
    std::vector<RateStage> stages;
    const auto* list = arrivals.find("stages");
    if (!list || !list->is_array() || list->empty())
        arrivals.fail("stages",
                      "a list of stages, such as [{\"duration_s\": 60, \"rate\": 2}, {\"duration_s\": "
                      "60, \"rate\": 2, \"to_rate\": 8}]");
    for (std::size_t i = 0; i < list->size(); ++i) {
        ObjectReader reader((*list)[i], fmt::format("workload.arrivals.stages[{}]", i),
                            fmt::format("/workload/arrivals/stages/{}", i), arrivals.context());
        RateStage stage;
        const auto duration = reader.real("duration_s", 0, true);
        if (!duration) reader.fail("duration_s", "seconds, a number above 0");
        const auto rate = reader.real("rate", 0);
        if (!rate) reader.fail("rate", "requests a second, a number of at least 0");
        stage.duration_s = *duration;
        stage.rate = *rate;
        stage.to_rate = reader.real("to_rate", 0);
        reader.finish();
        stages.push_back(stage);
    }
    return stages;
}

// JSON has no infinity: load generators write the text "inf" for even spacing.
std::optional<double> readShape(ObjectReader& reader)
{
    const auto* value = reader.find("shape");
    if (value && value->is_string() && *value == "inf") return std::numeric_limits<double>::infinity();
    return reader.real("shape", 0, true);
}

bool readFlag(ObjectReader& reader, const char* key)
{
    const auto* value = reader.find(key);
    if (!value || value->is_null()) return false;
    if (!value->is_boolean()) reader.fail(key, "true or false");
    return value->get<bool>();
}

void readParameters(ObjectReader& reader, ArrivalsSpec& arrivals)
{
    const std::string& process = arrivals.process;
    if (process == "gamma") {
        arrivals.cv = reader.real("cv", 0, true);
        arrivals.shape = readShape(reader);
        if (arrivals.cv && arrivals.shape)
            reader.fail("shape", "no shape beside a cv: they are tied by shape = 1 / cv^2");
        if (!arrivals.cv && !arrivals.shape)
            reader.fail("cv", "the gaps' coefficient of variation, a number above 0 (or a shape = 1 / cv^2)");
    }
    if (process == "uniform") {
        arrivals.min_gap_s = reader.real("min_gap_s", 0);
        arrivals.max_gap_s = reader.real("max_gap_s", arrivals.min_gap_s.value_or(0));
        if (!arrivals.rate && !(arrivals.min_gap_s && arrivals.max_gap_s))
            reader.fail("rate", "requests a second, a number above 0, or min_gap_s and max_gap_s");
        if (arrivals.rate && (arrivals.min_gap_s || arrivals.max_gap_s))
            reader.fail("rate", "no rate beside min_gap_s and max_gap_s");
    }
    if (process == "poisson" || process == "gamma" || process == "uniform")
        arrivals.exact_mean_rate = readFlag(reader, "exact_mean_rate");
    if (process == "stages") {
        arrivals.stages = readStages(reader);
        arrivals.even_gaps = readFlag(reader, "even_gaps");
    }
    if (process == "closed-loop") {
        const auto clients = reader.integer("clients", 1, 1'000'000);
        if (!clients) reader.fail("clients", "the number of clients, a whole number of at least 1");
        arrivals.clients = static_cast<int>(*clients);
    }
    arrivals.think_s = readDistribution(reader, "think_s");
}

ArrivalsSpec readArrivals(ObjectReader& workload, const SourceSpec& source)
{
    ArrivalsSpec arrivals;
    if (source.type == "trace") arrivals.process = "trace"; // where nothing else is said
    const auto* value = workload.find("arrivals");
    if (value) {
        ObjectReader reader(*value, "workload.arrivals", "/workload/arrivals", workload.context());
        arrivals.process = reader.choice("process", arrivals.process, arrivalProcesses());
        arrivals.rate = reader.real("rate", 0, true);
        if (needsRate(arrivals.process) && !arrivals.rate)
            reader.fail("rate",
                        "requests a second, a number above 0, for the process \"" + arrivals.process + "\"");
        readParameters(reader, arrivals);
        reader.finish();
    }
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
    lengths.output_tokens = readDistribution(reader, "output_tokens");
    if (lengths.mode == LengthMode::Drawn && !lengths.output_tokens)
        reader.fail("output_tokens", "a distribution for the mode \"drawn\", such as {\"distribution\": "
                                     "\"uniform\", \"min\": 75, \"max\": 125}");
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

void put(nlohmann::json& json, const char* key, const std::optional<Distribution>& distribution)
{
    if (distribution) json[key] = distributionToJson(*distribution);
}

// What is left at its default is not written.
nlohmann::json sourceToJson(const SourceSpec& source)
{
    const SourceSpec plain;
    nlohmann::json json = {{"type", source.type}};
    if (!source.path.empty()) json["path"] = source.path;
    if (!source.format.empty()) json["format"] = source.format;
    if (source.speed != plain.speed) json["speed"] = source.speed;
    if (!source.time_unit.empty()) json["time_unit"] = source.time_unit;
    if (source.turns != plain.turns) json["turns"] = source.turns;
    if (source.zero_tokens != plain.zero_tokens) json["zero_tokens"] = source.zero_tokens;
    put(json, "prompt_tokens", source.prompt_tokens);
    put(json, "output_tokens", source.output_tokens);
    put(json, "clients", source.clients);
    put(json, "priorities", source.priorities);
    return json;
}

nlohmann::json arrivalsToJson(const ArrivalsSpec& arrivals)
{
    nlohmann::json json = {{"process", arrivals.process}};
    const auto set = [&json](const char* key, const std::optional<double>& value) {
        if (value) json[key] = *value;
    };
    set("rate", arrivals.rate);
    if (arrivals.process == "gamma") {
        set("cv", arrivals.cv);
        set("shape", arrivals.shape);
        if (arrivals.shape && std::isinf(*arrivals.shape)) json["shape"] = "inf";
    }
    if (arrivals.process == "uniform") {
        set("min_gap_s", arrivals.min_gap_s);
        set("max_gap_s", arrivals.max_gap_s);
    }
    if (arrivals.exact_mean_rate) json["exact_mean_rate"] = true;
    if (arrivals.process == "stages") {
        for (const RateStage& stage : arrivals.stages) {
            nlohmann::json each = {{"duration_s", stage.duration_s}, {"rate", stage.rate}};
            if (stage.to_rate) each["to_rate"] = *stage.to_rate;
            json["stages"].push_back(each);
        }
        if (arrivals.even_gaps) json["even_gaps"] = true;
    }
    if (arrivals.process == "closed-loop") json["clients"] = arrivals.clients;
    put(json, "think_s", arrivals.think_s);
    return json;
}

} // namespace

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
    workload.arrivals = readArrivals(reader, workload.source);
    workload.lengths = readLengths(reader);
    workload.sampling = readSampling(reader);
    workload.sampling.seed = workload.seed;
    reader.finish();
    return workload;
}

nlohmann::json workloadToJson(const WorkloadSpec& workload)
{
    nlohmann::json json = {
        {"source", sourceToJson(workload.source)},
        {"seed", workload.seed},
        {"arrivals", arrivalsToJson(workload.arrivals)},
        {"sampling", {{"temperature", workload.sampling.temperature}, {"top_p", workload.sampling.top_p}}}};
    if (workload.requests) json["requests"] = *workload.requests;
    if (workload.lengths.mode) json["lengths"]["mode"] = lengthModeName(*workload.lengths.mode);
    if (workload.lengths.tokens) json["lengths"]["tokens"] = *workload.lengths.tokens;
    if (workload.lengths.output_tokens)
        json["lengths"]["output_tokens"] = distributionToJson(*workload.lengths.output_tokens);
    return json;
}

std::vector<std::string> workloadKeys()
{
    std::vector<std::string> keys{"source.type",
                                  "source.path",
                                  "source.format",
                                  "source.speed",
                                  "source.time_unit",
                                  "source.turns",
                                  "source.zero_tokens",
                                  "requests",
                                  "seed",
                                  "arrivals.process",
                                  "arrivals.rate",
                                  "arrivals.cv",
                                  "arrivals.shape",
                                  "arrivals.min_gap_s",
                                  "arrivals.max_gap_s",
                                  "arrivals.exact_mean_rate",
                                  "arrivals.stages",
                                  "arrivals.even_gaps",
                                  "arrivals.clients",
                                  "lengths.mode",
                                  "lengths.tokens",
                                  "sampling.temperature",
                                  "sampling.top_p"};
    for (const char* distribution : {"source.prompt_tokens", "source.output_tokens", "source.clients",
                                     "source.priorities", "arrivals.think_s", "lengths.output_tokens"})
        for (const auto& key : distributionKeys())
            keys.push_back(fmt::format("{}.{}", distribution, key));
    return keys;
}

} // namespace batchscope::sessions
