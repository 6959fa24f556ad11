// SPDX-License-Identifier: GPL-3.0-or-later
// Result JSON: exactly the keys that cli.md names; what is not known is null, and no number is infinite or
// NaN.
#include "sessions/run_record.h"
#include "sessions/session_document.h"

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

json summary(const Summary& values)
{
    return {{"mean", number(values.mean)},
            {"median", number(values.median)},
            {"p50", number(values.p50)},
            {"p90", number(values.p90)},
            {"p95", number(values.p95)},
            {"p99", number(values.p99)},
            {"n", values.n}};
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

json shares(const StepKinds& steps)
{
    const auto total = static_cast<double>(steps.total());
    const auto share = [&](std::int64_t part) {
        return steps.total() > 0 ? json(static_cast<double>(part) / total) : json(nullptr);
    };
    return {{"useful", share(steps.useful)},       {"end", share(steps.end)},
            {"chunk", share(steps.chunk)},         {"padding", share(steps.padding)},
            {"abandoned", share(steps.abandoned)}, {"stalled", share(steps.stalled)}};
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

// A run that was not measured to its end has counts of nothing: they are unknown, not 0.
void addCounts(json& run, const std::optional<RunMetrics>& metrics)
{
    const auto count = [&](std::int64_t RunMetrics::*member) {
        return metrics ? json((*metrics).*member) : json(nullptr);
    };
    run["completed"] = count(&RunMetrics::completed);
    run["failed"] = count(&RunMetrics::failed);
    run["useful_output_tokens"] = count(&RunMetrics::useful_output_tokens);
    run["decode_steps"] = count(&RunMetrics::decode_steps);
    run["rerun_requests"] = count(&RunMetrics::rerun_requests);
    run["batches"] = metrics && metrics->batches ? json(*metrics->batches) : json(nullptr);
}

} // namespace

json resultJson(const RunRecord& record)
{
    json run = {{"name", record.name},
                {"strategy", strategyToJson(record.strategy)},
                {"provenance", provenance(record.provenance)},
                {"workload_hash", record.workload_hash},
                {"seed", record.seed},
                {"repetition", record.repetition},
                {"requests", record.requests},
                {"environment", environment(record.environment)}};
    addCounts(run, record.metrics);
    const RunMetrics metrics = record.metrics.value_or(RunMetrics{});
    run["makespan_s"] = number(metrics.makespan_s);
    run["request_throughput"] = number(metrics.request_throughput);
    run["output_token_throughput"] = number(metrics.output_token_throughput);
    run["effective_token_ratio"] = number(metrics.effective_token_ratio);
    run["effective_token_ratio_strict"] = number(metrics.effective_token_ratio_strict);
    run["average_length"] = number(metrics.average_length);
    run["average_length_strict"] = number(metrics.average_length_strict);
    run["decode_padding_waste"] = number(metrics.decode_padding_waste);
    run["prefill_padding_waste"] = number(metrics.prefill_padding_waste);
    run["shares"] = shares(metrics.steps);
    run["rerun_ratio"] = number(metrics.rerun_ratio);
    run["predictor_time_share"] = number(metrics.predictor_time_share);
    run["ttft_s"] = summary(metrics.ttft_s);
    run["tpot_s"] = summary(metrics.tpot_s);
    run["itl_s"] = summary(metrics.itl_s);
    run["e2el_s"] = summary(metrics.e2el_s);
    run["queueing_delay_s"] = summary(metrics.queueing_delay_s);
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
