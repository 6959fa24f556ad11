// SPDX-License-Identifier: GPL-3.0-or-later
// Result JSON: the keys that cli.md names and every other figure of metrics.md under its own name; what is
// not known is null, and no number is infinite or NaN.
#include "sessions/run_record.h"
#include "sessions/session_document.h"

#include <algorithm>
#include <cmath>

namespace batchscope::sessions {

namespace {

using nlohmann::json;

json number(const std::optional<double>& value)
{
    return value && std::isfinite(*value) ? json(*value) : json(nullptr);
}

json textOrNull(const std::string& text)
{
    return text.empty() ? json(nullptr) : json(text);
}

json provenance(const Provenance& from)
{
    const bool measured = from.measured;
    return {{"kind", measured ? "measured" : "simulated"},
            {"device", measured ? textOrNull(from.device) : json(nullptr)},
            {"dtype", measured ? textOrNull(from.dtype) : json(nullptr)},
            {"threads", measured && from.threads > 0 ? json(from.threads) : json(nullptr)},
            {"cost_model", measured ? json(nullptr) : textOrNull(from.cost_model)}};
}

json environment(const Environment& from)
{
    return {{"cpu", textOrNull(from.cpu)},
            {"gpu", textOrNull(from.gpu)},
            {"threads", from.threads > 0 ? json(from.threads) : json(nullptr)},
            {"libraries", textOrNull(from.libraries)},
            {"version", textOrNull(from.version)},
            {"commit", textOrNull(from.commit)}};
}

json& placeOf(json& run, const std::string& dotted)
{
    json* place = &run;
    for (std::size_t begin = 0; begin <= dotted.size();) {
        const std::size_t end = std::min(dotted.find('.', begin), dotted.size());
        place = &(*place)[dotted.substr(begin, end - begin)];
        begin = end + 1;
    }
    return *place;
}

// Every figure lies under the name that its definition has: "e2el_s.p99" is p99 in the object e2el_s. Of a
// run without figures all are unknown, not 0.
void addFigures(json& run, const std::optional<RunMetrics>& metrics)
{
    for (const auto& metric : metricDefinitions()) {
        if (metric.name.starts_with("window.") && !(metrics && metrics->window)) {
            run["window"] = nullptr; // the whole run alone
            continue;
        }
        const auto dot = metric.name.rfind('.');
        json& outer = dot == std::string::npos ? run : placeOf(run, metric.name.substr(0, dot));
        json& place = outer[dot == std::string::npos ? metric.name : metric.name.substr(dot + 1)];
        const auto value = metrics ? metric.value(*metrics) : std::nullopt;
        const bool is_count = metric.decimals == 0 && !metric.is_share;
        place = value && is_count ? json(static_cast<std::int64_t>(*value)) : number(value);
        if (!metric.samples) continue;
        outer["n"] = metrics ? metric.samples(*metrics) : 0;
        if (metric.name.ends_with(".median")) outer["p50"] = place;
    }
    run["prediction_error"]["n"] = metrics ? metrics->prediction_error.n : 0;
}

} // namespace

json resultJson(const RunRecord& record)
{
    json run = json::object();
    addFigures(run, record.metrics);
    run["name"] = record.name;
    run["strategy"] = strategyToJson(record.strategy);
    run["provenance"] = provenance(record.provenance);
    run["provenance"]["compat"] = record.strategy.compat;
    run["workload_hash"] = record.workload_hash;
    run["seed"] = record.seed;
    run["repetition"] = record.repetition;
    run["measure"] = record.measure;
    run["offered"] = record.offered ? json{{"rate_per_s", record.offered->rate_per_s},
                                           {"service_s", record.offered->service_s}}
                                    : json(nullptr);
    run["theory"] = record.theory ? json{{"model", "M/G/1"},
                                         {"mean_wait_s", record.theory->mean_wait_s},
                                         {"utilization", record.theory->utilization}}
                                  : json(nullptr);
    run["requests"] = record.requests; // of the workload, also where the run never came to all of them
    run["environment"] = environment(record.environment);
    return run;
}

json resultDocument(const std::vector<RunRecord>& records)
{
    json document = {{"schema", "batchscope.result/1"}, {"runs", json::array()}};
    for (const auto& record : records)
        document["runs"].push_back(resultJson(record));
    return document;
}

} // namespace batchscope::sessions
