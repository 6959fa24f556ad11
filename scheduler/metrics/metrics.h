// SPDX-License-Identifier: GPL-3.0-or-later
// Every figure, computed by one function from the event log (design/metrics.md); what a log does not hold
// comes as MetricOptions. No data is nullopt, never 0.
#pragma once

#include "scheduler/event.h"
#include "scheduler/metrics/measured_part.h"
#include "scheduler/strategy.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace batchscope {

// Per request, from the log. Times from the run's start; absent where it never happened.
struct RequestFigures
{
    RequestIndex request = 0;
    int prompt_tokens = 0;
    int output_tokens = 0; // of the delivered attempt
    Nanos arrival_ns = 0;
    Nanos dispatched_ns = 0;
    std::optional<Nanos> scheduled_ns;
    std::optional<Nanos> first_token_ns;
    std::optional<Nanos> last_token_ns;
    std::optional<Nanos> completed_ns;
    std::optional<RowEnd> end;
    std::optional<int> predicted_tokens;
    bool predicted = false;            // a Predicted event exists
    std::uint16_t attempts = 0;        // started
    std::uint32_t delivered_steps = 0; // steps its delivered batch ran (sum where extended)
    std::uint32_t abandoned_steps = 0; // steps the batches of its abandoned attempts ran
    int abandoned_tokens = 0;
    bool operator==(const RequestFigures&) const = default;
};

// Seconds, or ratios for slowdown. Percentiles by linear interpolation, rank = p * (n - 1).
struct Summary
{
    std::optional<double> mean, median, p50, p90, p95, p99;
    std::int64_t n = 0;
    bool operator==(const Summary&) const = default;
};
Summary summarize(std::vector<double> values);
std::optional<double> percentile(std::span<const double> sorted, double p); // p in 0...1

// Slot-steps by kind; shares are of their sum.
struct StepKinds
{
    std::int64_t useful = 0, end = 0, chunk = 0, padding = 0, abandoned = 0, stalled = 0;
    std::int64_t total() const { return useful + end + chunk + padding + abandoned + stalled; }
    bool operator==(const StepKinds&) const = default;
};

struct PredictionError // against the run's own delivered length; requests with a prediction of tokens or
                       // class only
{
    std::int64_t n = 0;
    std::optional<double> mae, rmse, r2, acc50, acc100, kendall_tau_b, spearman, under_prediction_rate;
    bool operator==(const PredictionError&) const = default;
};

// Figures of a part of a run (statistics/window.h makes them). Everything is credited at its own time - a
// token at the end of its pass, a completion when it happened, a latency to the moment at which its request
// arrived - so that nothing bends at the window's edge; what is left out is counted.
struct WindowFigures
{
    TimeSpan window; // [from, to)
    std::int64_t completions = 0, tokens = 0;
    std::optional<double> request_throughput, output_token_throughput; // in the window / its length
    Summary e2el_s, ttft_s, queueing_delay_s; // of the requests that arrived in the window and completed
    // Left out: requests that arrived before and after the window, completions and useful tokens outside it.
    std::int64_t requests_before = 0, requests_after = 0, completions_outside = 0, tokens_outside = 0;
    bool operator==(const WindowFigures&) const = default;
};

struct RunMetrics
{
    std::int64_t requests = 0, completed = 0, failed = 0;
    std::optional<double> achieved_arrival_rate; // requests/s; null for fewer than 2 or all at once
    std::optional<double> makespan_s, request_throughput, output_token_throughput;
    std::optional<double> steady_request_throughput; // null if all slots were never occupied at once
    std::optional<double> ssjf_throughput_25;        // requests/s at 25 % of the completions
    std::optional<double> goodput;                   // null without SLOs
    std::int64_t useful_output_tokens = 0;
    std::int64_t decode_steps = 0;
    std::optional<std::int64_t> batches;                                       // null in continuous mode
    std::optional<double> effective_token_ratio, effective_token_ratio_strict; // "paper" and "strict"
    std::optional<double> average_length, average_length_strict;               // steps
    std::optional<double> decode_padding_waste, prefill_padding_waste;
    StepKinds steps;
    std::int64_t rerun_requests = 0;
    std::optional<double> rerun_ratio, rerun_token_share;
    std::optional<double> predictor_time_share;
    std::int64_t failed_predictions = 0;
    PredictionError prediction_error;
    std::optional<double> queue_inversions; // share of pairs served against true-length order
    std::optional<double> mean_occupancy;   // active slots / slots over time
    std::optional<double> queue_busy_share; // share of the makespan during which somebody waited
    std::optional<double> max_queueing_delay_s;
    std::optional<double> jains_index;            // over slowdown
    std::optional<std::int64_t> starved_requests; // null without ageing
    std::int64_t preemptions = 0;                 // a request may be preempted several times
    Summary slowdown;                             // ratios, not seconds; empty without a cost model
    Summary ttft_s, service_ttft_s, tpot_s, tpot_incl_s, itl_s, e2el_s, queueing_delay_s;
    Summary dispatch_lateness_s; // of every request that arrived
    std::int64_t kv_allocated_peak_bytes = 0, kv_used_peak_bytes = 0, weights_bytes = 0;
    std::optional<WindowFigures> window; // null where no part was asked for, or nothing was left of it
    bool operator==(const RunMetrics&) const = default;
};

// What the log does not hold. A function that is absent, or that gives nothing for a request, leaves the
// figures made of it null.
struct MetricOptions
{
    using OfRequest = std::function<std::optional<Nanos>(const RequestFigures&)>;
    std::optional<Slo> slo;
    OfRequest service_alone;    // time it would take by itself, under the cost model of the run
    bool promotes_aged = false; // the run had an ageing bound: who passed it is in the log
    MeasuredPart part = {};     // to be shown beside the whole run
};

MetricOptions metricOptions(const Strategy& strategy, MetricOptions::OfRequest service_alone);

std::vector<RequestFigures> requestFigures(std::span<const Event> log);
RunMetrics computeMetrics(std::span<const Event> log, const MetricOptions& options);
RunMetrics computeMetrics(std::span<const Event> log, const std::optional<Slo>& slo); // of the log alone

// One line of a table: name, unit, formula, which way is better.
enum class Better { Higher, Lower, Neither };
struct MetricDefinition
{
    std::string name;    // as in the result JSON, e.g. "effective_token_ratio_strict", "e2el_s.p99"
    std::string title;   // "Effective token ratio (strict)"
    std::string unit;    // "tokens/s", "%", "s", ""
    std::string formula; // shown as a tool-tip
    Better better = Better::Neither;
    bool is_share = false; // 0...1, shown in %
    int decimals = 2;
    std::function<std::optional<double>(const RunMetrics&)> value;
    // How many values a summary was made of; empty for figures that are no summary. A p99 of fewer than 100
    // is marked.
    std::function<std::int64_t(const RunMetrics&)> samples;
};
const std::vector<MetricDefinition>& metricDefinitions(); // in the order tables show them
const MetricDefinition* findMetric(const std::string& name);

// Rank agreement (metrics/agreement.h has the rest): null where undefined (constant input, n < 2).
std::optional<double> kendallTauB(std::span<const double> a, std::span<const double> b); // O(n log n)
std::optional<double> spearman(std::span<const double> a, std::span<const double> b);

} // namespace batchscope
