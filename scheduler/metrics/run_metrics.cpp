// SPDX-License-Identifier: GPL-3.0-or-later
// Puts the figures of a run together; each group of them has a function of its own.
#include "scheduler/folds/residents.h"
#include "scheduler/metrics/agreement.h"
#include "scheduler/metrics/metrics.h"
#include "scheduler/metrics/occupancy.h"
#include "scheduler/metrics/step_counts.h"
#include "scheduler/metrics/token_gaps.h"
#include "scheduler/statistics/window.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace batchscope {

namespace {

using Figures = std::vector<RequestFigures>;

std::optional<double> share(double part, double whole)
{
    if (whole <= 0) return std::nullopt;
    return part / whole;
}

double between(Nanos from_ns, Nanos to_ns)
{
    return toSeconds(to_ns - from_ns);
}

bool isCompleted(const RequestFigures& request)
{
    return request.completed_ns.has_value();
}

std::optional<double> ttft(const RequestFigures& request)
{
    if (!request.first_token_ns) return std::nullopt;
    return between(request.arrival_ns, *request.first_token_ns);
}

std::optional<double> tpot(const RequestFigures& request)
{
    if (!request.first_token_ns || request.output_tokens < 2) return std::nullopt;
    return between(*request.first_token_ns, *request.last_token_ns) / (request.output_tokens - 1);
}

// The values that exist, over completed requests.
template <typename Value>
Summary summaryOver(const Figures& requests, Value value)
{
    std::vector<double> values;
    for (const RequestFigures& request : requests) {
        if (!isCompleted(request)) continue;
        if (const std::optional<double> seconds = value(request)) values.push_back(*seconds);
    }
    return summarize(std::move(values));
}

void setLatencies(RunMetrics& run, const Figures& requests, std::span<const Event> log)
{
    using Seconds = std::optional<double>;
    run.ttft_s = summaryOver(requests, ttft);
    run.service_ttft_s = summaryOver(requests, [](const RequestFigures& r) -> Seconds {
        if (!r.first_token_ns) return std::nullopt;
        return between(*r.scheduled_ns, *r.first_token_ns);
    });
    run.tpot_s = summaryOver(requests, tpot);
    run.tpot_incl_s = summaryOver(requests, [](const RequestFigures& r) -> Seconds {
        if (!r.last_token_ns) return std::nullopt;
        return between(r.arrival_ns, *r.last_token_ns) / r.output_tokens;
    });
    run.e2el_s = summaryOver(
        requests, [](const RequestFigures& r) -> Seconds { return between(r.arrival_ns, *r.completed_ns); });
    run.queueing_delay_s = summaryOver(
        requests, [](const RequestFigures& r) -> Seconds { return between(r.arrival_ns, *r.scheduled_ns); });
    run.itl_s = summarizeWeighted(tokenGaps(log));
    for (const RequestFigures& request : requests) { // whoever waited longest, completed or not
        if (!request.scheduled_ns) continue;
        const double delay_s = between(request.arrival_ns, *request.scheduled_ns);
        run.max_queueing_delay_s = std::max(run.max_queueing_delay_s.value_or(0.0), delay_s);
    }
}

void setCounts(RunMetrics& run, const Figures& requests, std::span<const Event> log)
{
    run.requests = static_cast<std::int64_t>(requests.size());
    for (const Event& event : log) {
        if (const auto* started = std::get_if<RunStarted>(&event.body)) {
            run.requests = started->requests;
        } else if (const auto* predicted = std::get_if<Predicted>(&event.body)) {
            run.failed_predictions += predicted->failed ? 1 : 0;
        } else if (std::holds_alternative<Preempted>(event.body)) {
            ++run.preemptions;
        } else if (const auto* memory = std::get_if<MemorySample>(&event.body)) {
            run.weights_bytes = std::max(run.weights_bytes, memory->weights_bytes);
            run.kv_allocated_peak_bytes = std::max(run.kv_allocated_peak_bytes, memory->kv_allocated_bytes);
            run.kv_used_peak_bytes = std::max(run.kv_used_peak_bytes, memory->kv_used_bytes);
        }
    }
    for (const RequestFigures& request : requests) {
        run.completed += isCompleted(request) ? 1 : 0;
        run.failed += request.end == RowEnd::Failed ? 1 : 0;
    }
}

void setSteps(RunMetrics& run, const Figures& requests, std::span<const Event> log)
{
    const StepCounts counts = countSteps(log);
    run.steps = counts.kinds;
    run.useful_output_tokens = counts.kinds.useful;
    run.decode_steps = counts.decode_steps;
    if (!counts.continuous) run.batches = counts.batches;
    const auto all = static_cast<double>(counts.kinds.total());
    run.effective_token_ratio_strict = share(static_cast<double>(counts.kinds.useful), all);
    run.decode_padding_waste = share(static_cast<double>(counts.kinds.padding + counts.kinds.abandoned), all);
    if (counts.padded_tokens > 0)
        run.prefill_padding_waste =
            1.0 - static_cast<double>(counts.prompt_tokens) / static_cast<double>(counts.padded_tokens);

    double tokens = 0, delivered_steps = 0, abandoned_steps = 0, delivered = 0;
    std::int64_t thrown_away = 0;
    for (const RequestFigures& request : requests) {
        thrown_away += request.abandoned_tokens;
        run.rerun_requests += request.attempts > 1 ? 1 : 0;
        if (!request.end || !isDelivered(*request.end)) continue;
        delivered += 1;
        tokens += request.output_tokens;
        delivered_steps += request.delivered_steps;
        abandoned_steps += request.abandoned_steps;
    }
    run.effective_token_ratio = share(tokens, delivered_steps);
    run.average_length = share(delivered_steps, delivered);
    run.average_length_strict = share(delivered_steps + abandoned_steps, delivered);
    run.rerun_ratio = share(static_cast<double>(run.rerun_requests), static_cast<double>(run.requests));
    run.rerun_token_share =
        share(static_cast<double>(thrown_away), static_cast<double>(thrown_away + counts.kinds.useful));
}

bool meets(const RequestFigures& request, const Slo& slo)
{
    const auto within = [](std::optional<double> value, std::optional<double> bound) {
        return !value || !bound || *value <= *bound; // a null TPOT passes
    };
    return within(ttft(request), slo.ttft_s) && within(tpot(request), slo.tpot_s) &&
           within(between(request.arrival_ns, *request.completed_ns), slo.e2el_s);
}

// What the run was given beside what was asked of it: a target rate that think times, a late loop or a draw
// did not reach is seen here.
void setArrivals(RunMetrics& run, const Figures& requests)
{
    if (requests.empty()) return;
    const auto [first, last] = std::minmax_element(
        requests.begin(), requests.end(),
        [](const RequestFigures& a, const RequestFigures& b) { return a.arrival_ns < b.arrival_ns; });
    run.achieved_arrival_rate =
        share(static_cast<double>(requests.size() - 1), between(first->arrival_ns, last->arrival_ns));
    std::vector<double> late;
    late.reserve(requests.size());
    for (const RequestFigures& request : requests)
        late.push_back(between(request.arrival_ns, request.dispatched_ns));
    run.dispatch_lateness_s = summarize(std::move(late));
}

// The span over which rates are taken: the makespan, or as far as the log goes where nothing was completed.
std::optional<TimeSpan> observedSpan(const Figures& requests, std::span<const Event> log)
{
    if (requests.empty()) return std::nullopt;
    TimeSpan span{requests.front().arrival_ns, log.back().at_ns};
    std::optional<Nanos> last_ns;
    for (const RequestFigures& request : requests) {
        span.from_ns = std::min(span.from_ns, request.arrival_ns);
        if (request.completed_ns)
            last_ns = std::max(last_ns.value_or(*request.completed_ns), *request.completed_ns);
    }
    if (last_ns) span.to_ns = *last_ns;
    return span;
}

void setSteadyThroughput(RunMetrics& run, const Figures& requests, const OccupancyCurve& occupancy)
{
    const auto window = steadyWindow(occupancy);
    if (!window) return;
    const auto completed =
        std::count_if(requests.begin(), requests.end(), [&](const RequestFigures& request) {
            return request.completed_ns > window->from_ns && request.completed_ns <= window->to_ns;
        });
    run.steady_request_throughput =
        share(static_cast<double>(completed), between(window->from_ns, window->to_ns));
}

// SSJF's throughput: requests/s when a quarter of the run's requests are completed.
void setQuarterThroughput(RunMetrics& run, const Figures& requests, Nanos first_arrival_ns)
{
    std::vector<Nanos> completions;
    for (const RequestFigures& request : requests)
        if (request.completed_ns) completions.push_back(*request.completed_ns);
    const std::int64_t quarter = (run.requests + 3) / 4;
    if (quarter < 1 || static_cast<std::int64_t>(completions.size()) < quarter) return;
    const auto kth = completions.begin() + (quarter - 1);
    std::nth_element(completions.begin(), kth, completions.end());
    run.ssjf_throughput_25 = share(static_cast<double>(quarter), between(first_arrival_ns, *kth));
}

void setRates(RunMetrics& run, const Figures& requests, std::span<const Event> log,
              const std::optional<Slo>& slo)
{
    const auto span = observedSpan(requests, log);
    if (!span) return;
    const double span_s = between(span->from_ns, span->to_ns);
    if (run.completed > 0) run.makespan_s = span_s;
    run.request_throughput = share(static_cast<double>(run.completed), span_s);
    run.output_token_throughput = share(static_cast<double>(run.useful_output_tokens), span_s);
    if (slo) {
        const auto good = std::count_if(requests.begin(), requests.end(), [&](const RequestFigures& request) {
            return isCompleted(request) && meets(request, *slo);
        });
        run.goodput = share(static_cast<double>(good), span_s);
    }
    Nanos prediction_ns = 0;
    for (const Event& event : log)
        if (const auto* predicted = std::get_if<Predicted>(&event.body))
            prediction_ns += predicted->elapsed_ns;
    run.predictor_time_share = share(toSeconds(prediction_ns), span_s);

    const OccupancyCurve occupancy = occupancyCurve(log);
    run.mean_occupancy = meanOccupancy(occupancy, *span);
    run.queue_busy_share = share(toSeconds(waitingTime(log, *span)), span_s);
    setSteadyThroughput(run, requests, occupancy);
    setQuarterThroughput(run, requests, span->from_ns);
}

void setPredictionError(RunMetrics& run, const Figures& requests)
{
    std::vector<double> predicted, actual;
    for (const RequestFigures& request : requests) {
        if (!isCompleted(request) || !request.predicted_tokens) continue;
        // Of an answer that was cut nobody knows the length: any prediction from there on was right.
        const int tokens = *request.predicted_tokens;
        predicted.push_back(request.end == RowEnd::Cap ? std::min(tokens, request.output_tokens) : tokens);
        actual.push_back(request.output_tokens);
    }
    run.prediction_error = predictionError(predicted, actual);
}

// Pairs of delivered requests of which the longer one was in a batch before the shorter one, of all pairs.
void setQueueInversions(RunMetrics& run, const Figures& requests)
{
    std::vector<double> served, length;
    for (const RequestFigures& request : requests) {
        if (!isCompleted(request)) continue;
        served.push_back(static_cast<double>(*request.scheduled_ns));
        length.push_back(request.output_tokens);
    }
    const PairCounts counts = countPairs(served, length);
    run.queue_inversions = share(static_cast<double>(counts.discordant), static_cast<double>(counts.pairs));
}

// (sum x)^2 / (n sum x^2): 1 when all fare alike, 1/n when one alone is served (Jain, Chiu, Hawe 1984).
std::optional<double> jainsIndex(const std::vector<double>& values)
{
    double sum = 0, squares = 0;
    for (const double value : values) {
        sum += value;
        squares += value * value;
    }
    return share(sum * sum, static_cast<double>(values.size()) * squares);
}

// Whoever waits past its bound is promoted before the next pick; a preempted one may be so more than once.
std::int64_t countStarved(std::span<const Event> log)
{
    std::set<RequestIndex> starved;
    for (const Event& event : log)
        if (const auto* promoted = std::get_if<Promoted>(&event.body)) starved.insert(promoted->request);
    return static_cast<std::int64_t>(starved.size());
}

void setFairness(RunMetrics& run, const Figures& requests, std::span<const Event> log,
                 const MetricOptions& options)
{
    if (options.promotes_aged) run.starved_requests = countStarved(log);
    if (!options.service_alone) return;
    std::vector<double> slowdowns;
    for (const RequestFigures& request : requests) {
        if (!isCompleted(request)) continue;
        const std::optional<Nanos> alone_ns = options.service_alone(request);
        if (!alone_ns || *alone_ns <= 0) continue;
        slowdowns.push_back(between(request.arrival_ns, *request.completed_ns) / toSeconds(*alone_ns));
    }
    run.jains_index = jainsIndex(slowdowns);
    run.slowdown = summarize(std::move(slowdowns));
}

} // namespace

// Groups are taken in order of arrival: nobody is promoted there.
MetricOptions metricOptions(const Strategy& strategy, MetricOptions::OfRequest service_alone)
{
    const auto isSet = [&](const char* knob) {
        const auto found = strategy.ordering.params.find(knob);
        return found != strategy.ordering.params.end() &&
               !std::holds_alternative<std::monostate>(found->second);
    };
    const bool ages = isSet("ageing.absolute_s") || isSet("ageing.factor");
    return {strategy.slo, std::move(service_alone), ages && strategy.batching.type != "grouped"};
}

RunMetrics computeMetrics(std::span<const Event> log, const std::optional<Slo>& slo)
{
    return computeMetrics(log, MetricOptions{slo, {}, false});
}

RunMetrics computeMetrics(std::span<const Event> log, const MetricOptions& options)
{
    RunMetrics run;
    const Figures requests = requestFigures(log);
    setCounts(run, requests, log);
    setArrivals(run, requests);
    setSteps(run, requests, log);
    setLatencies(run, requests, log);
    setRates(run, requests, log, options.slo);
    setPredictionError(run, requests);
    setQueueInversions(run, requests);
    setFairness(run, requests, log, options);
    if (!options.part.isWhole())
        if (const auto window = measuredWindow(log, options.part)) run.window = windowFigures(log, *window);
    return run;
}

} // namespace batchscope
