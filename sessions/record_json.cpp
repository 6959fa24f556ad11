// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/record_json.h"

#include "sessions/error.h"
#include "sessions/field_visitor.h"
#include "sessions/session_document.h"
#include "sessions/strategy_json.h"

#include <cmath>

namespace batchscope::sessions {

namespace {

using nlohmann::json;

template <class V, Is<Summary> T>
void visitFields(V& visit, T& s)
{
    visit("mean", s.mean);
    visit("median", s.median);
    visit("p50", s.p50);
    visit("p90", s.p90);
    visit("p95", s.p95);
    visit("p99", s.p99);
    visit("n", s.n);
}
template <class V, Is<StepKinds> T>
void visitFields(V& visit, T& s)
{
    visit("useful", s.useful);
    visit("end", s.end);
    visit("chunk", s.chunk);
    visit("padding", s.padding);
    visit("abandoned", s.abandoned);
    visit("stalled", s.stalled);
}
template <class V, Is<PredictionError> T>
void visitFields(V& visit, T& e)
{
    visit("n", e.n);
    visit("mae", e.mae);
    visit("rmse", e.rmse);
    visit("r2", e.r2);
    visit("acc50", e.acc50);
    visit("acc100", e.acc100);
    visit("kendall_tau_b", e.kendall_tau_b);
    visit("spearman", e.spearman);
    visit("under_prediction_rate", e.under_prediction_rate);
}
template <class V, Is<TimeSpan> T>
void visitFields(V& visit, T& s)
{
    visit("from_ns", s.from_ns);
    visit("to_ns", s.to_ns);
}
template <class V, Is<WindowFigures> T>
void visitFields(V& visit, T& w)
{
    visit("window", w.window);
    visit("completions", w.completions);
    visit("tokens", w.tokens);
    visit("request_throughput", w.request_throughput);
    visit("output_token_throughput", w.output_token_throughput);
    visit("e2el_s", w.e2el_s);
    visit("ttft_s", w.ttft_s);
    visit("queueing_delay_s", w.queueing_delay_s);
    visit("requests_before", w.requests_before);
    visit("requests_after", w.requests_after);
    visit("completions_outside", w.completions_outside);
    visit("tokens_outside", w.tokens_outside);
}
template <class V, Is<OfferedLoad> T>
void visitFields(V& visit, T& o)
{
    visit("rate_per_s", o.rate_per_s);
    visit("service_s", o.service_s);
}
template <class V, Is<TheoreticalWait> T>
void visitFields(V& visit, T& t)
{
    visit("mean_wait_s", t.mean_wait_s);
    visit("utilization", t.utilization);
}
template <class V, Is<RunMetrics> T>
void visitFields(V& visit, T& m)
{
    visit("requests", m.requests);
    visit("completed", m.completed);
    visit("failed", m.failed);
    visit("achieved_arrival_rate", m.achieved_arrival_rate);
    visit("makespan_s", m.makespan_s);
    visit("request_throughput", m.request_throughput);
    visit("output_token_throughput", m.output_token_throughput);
    visit("steady_request_throughput", m.steady_request_throughput);
    visit("ssjf_throughput_25", m.ssjf_throughput_25);
    visit("goodput", m.goodput);
    visit("useful_output_tokens", m.useful_output_tokens);
    visit("decode_steps", m.decode_steps);
    visit("batches", m.batches);
    visit("effective_token_ratio", m.effective_token_ratio);
    visit("effective_token_ratio_strict", m.effective_token_ratio_strict);
    visit("average_length", m.average_length);
    visit("average_length_strict", m.average_length_strict);
    visit("decode_padding_waste", m.decode_padding_waste);
    visit("prefill_padding_waste", m.prefill_padding_waste);
    visit("steps", m.steps);
    visit("rerun_requests", m.rerun_requests);
    visit("rerun_ratio", m.rerun_ratio);
    visit("rerun_token_share", m.rerun_token_share);
    visit("predictor_time_share", m.predictor_time_share);
    visit("failed_predictions", m.failed_predictions);
    visit("prediction_error", m.prediction_error);
    visit("queue_inversions", m.queue_inversions);
    visit("mean_occupancy", m.mean_occupancy);
    visit("queue_busy_share", m.queue_busy_share);
    visit("max_queueing_delay_s", m.max_queueing_delay_s);
    visit("jains_index", m.jains_index);
    visit("starved_requests", m.starved_requests);
    visit("preemptions", m.preemptions);
    visit("slowdown", m.slowdown);
    visit("ttft_s", m.ttft_s);
    visit("service_ttft_s", m.service_ttft_s);
    visit("tpot_s", m.tpot_s);
    visit("tpot_incl_s", m.tpot_incl_s);
    visit("itl_s", m.itl_s);
    visit("e2el_s", m.e2el_s);
    visit("queueing_delay_s", m.queueing_delay_s);
    visit("dispatch_lateness_s", m.dispatch_lateness_s);
    visit("kv_allocated_peak_bytes", m.kv_allocated_peak_bytes);
    visit("kv_used_peak_bytes", m.kv_used_peak_bytes);
    visit("weights_bytes", m.weights_bytes);
    visit("window", m.window);
}
template <class V, Is<Environment> T>
void visitFields(V& visit, T& e)
{
    visit("cpu", e.cpu);
    visit("gpu", e.gpu);
    visit("libraries", e.libraries);
    visit("version", e.version);
    visit("commit", e.commit);
    visit("threads", e.threads);
}
template <class V, Is<Provenance> T>
void visitFields(V& visit, T& p)
{
    visit("measured", p.measured);
    visit("device", p.device);
    visit("model", p.model);
    visit("dtype", p.dtype);
    visit("threads", p.threads);
    visit("cost_model", p.cost_model);
    visit("watched", p.watched);
    visit("warmed_up", p.warmed_up);
}
template <class V, Is<Sampling> T>
void visitFields(V& visit, T& s)
{
    visit("temperature", s.temperature);
    visit("top_p", s.top_p);
    visit("seed", s.seed);
}
// Everything but what needs a name of its own: status, lengths, strategy.
template <class V, Is<RunRecord> T>
void visitFields(V& visit, T& r)
{
    visit("uuid", r.uuid);
    visit("session", r.session);
    visit("name", r.name);
    visit("experiment", r.experiment);
    visit("started_unix_ms", r.started_unix_ms);
    visit("message", r.message);
    visit("provenance", r.provenance);
    visit("workload_hash", r.workload_hash);
    visit("sampling", r.sampling);
    visit("source", r.source);
    visit("arrivals", r.arrivals);
    visit("command", r.command);
    visit("session_file", r.session_file);
    visit("backend", r.backend);
    visit("workload", r.workload);
    visit("measure", r.measure);
    visit("offered", r.offered);
    visit("theory", r.theory);
    visit("seed", r.seed);
    visit("repetition", r.repetition);
    visit("order", r.order);
    visit("requests", r.requests);
    visit("metrics", r.metrics);
    visit("environment", r.environment);
}

template <class T>
inline constexpr bool k_is_plain =
    std::is_arithmetic_v<T> || std::is_same_v<T, std::string> || std::is_same_v<T, json>;

class ToJson
{
public:
    template <class T>
    void operator()(const char* name, const T& value)
    {
        m_json[name] = put(value);
    }
    json take() { return std::move(m_json); }

private:
    template <class T>
    static json put(const T& value)
    {
        if constexpr (std::is_floating_point_v<T>) {
            return std::isfinite(value) ? json(value) : json(nullptr);
        } else if constexpr (k_is_plain<T>) {
            return value;
        } else {
            ToJson inner;
            visitFields(inner, value);
            return inner.take();
        }
    }
    template <class T>
    static json put(const std::optional<T>& value)
    {
        return value ? put(*value) : json(nullptr);
    }

    json m_json = json::object();
};

class FromJson
{
public:
    explicit FromJson(const json& from) : m_json(from) {}
    template <class T>
    void operator()(const char* name, T& value)
    {
        const auto found = m_json.find(name);
        if (found != m_json.end() && !found->is_null()) get(*found, value);
    }

private:
    template <class T>
    static void get(const json& from, T& value)
    {
        if constexpr (std::is_same_v<T, json>) {
            value = from;
        } else if constexpr (k_is_plain<T>) {
            value = from.get<T>();
        } else {
            if (!from.is_object()) throw StoreError("expected an object");
            FromJson inner(from);
            visitFields(inner, value);
        }
    }
    template <class T>
    static void get(const json& from, std::optional<T>& value)
    {
        get(from, value.emplace());
    }

    const json& m_json;
};

constexpr RunStatus k_statuses[] = {RunStatus::Completed, RunStatus::Failed, RunStatus::Cancelled,
                                    RunStatus::Interrupted};
constexpr LengthMode k_modes[] = {LengthMode::Free, LengthMode::Replayed, LengthMode::Fixed,
                                  LengthMode::Drawn};

} // namespace

json recordToJson(const RunRecord& record)
{
    ToJson fields;
    visitFields(fields, record);
    json all = fields.take();
    all["status"] = record.status ? json(runStatusName(*record.status)) : json(nullptr);
    all["lengths"] = lengthModeName(record.lengths);
    all["strategy"] = strategyToJson(record.strategy);
    return all;
}

RunRecord recordFromJson(const json& from, const std::string& name)
{
    try {
        if (!from.is_object()) throw StoreError("expected an object");
        RunRecord record;
        FromJson fields(from);
        visitFields(fields, record);
        const auto status = from.value("status", json(nullptr));
        for (const auto known : k_statuses)
            if (status == runStatusName(known)) record.status = known;
        const auto lengths = from.value("lengths", json(nullptr));
        for (const auto known : k_modes)
            if (lengths == lengthModeName(known)) record.lengths = known;
        ReadContext context;
        record.strategy =
            readStrategy(from.value("strategy", json(nullptr)), "strategy", "", nullptr, context);
        return record;
    } catch (const std::exception& error) {
        throw StoreError(name + ": its record is damaged: " + error.what());
    }
}

} // namespace batchscope::sessions
