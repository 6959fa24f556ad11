// SPDX-License-Identifier: GPL-3.0-or-later
// What each figure is called, how it is defined and how it is shown: one line of a table each (metrics.md).
#include "scheduler/metrics/metrics.h"

#include <algorithm>

namespace batchscope {

namespace {

using Value = std::function<std::optional<double>(const RunMetrics&)>;

Value field(std::optional<double> RunMetrics::*member)
{
    return [member](const RunMetrics& run) { return run.*member; };
}

Value field(std::int64_t RunMetrics::*member)
{
    return
        [member](const RunMetrics& run) { return std::optional<double>(static_cast<double>(run.*member)); };
}

// Bytes that nothing was ever said about are unknown, not 0.
Value knownBytes(std::int64_t RunMetrics::*member)
{
    return [member](const RunMetrics& run) {
        return run.*member > 0 ? std::optional<double>(static_cast<double>(run.*member)) : std::nullopt;
    };
}

Value stepShare(std::int64_t StepKinds::*kind)
{
    return [kind](const RunMetrics& run) -> std::optional<double> {
        if (run.steps.total() == 0) return std::nullopt;
        return static_cast<double>(run.steps.*kind) / static_cast<double>(run.steps.total());
    };
}

Value prediction(std::optional<double> PredictionError::*member)
{
    return [member](const RunMetrics& run) { return run.prediction_error.*member; };
}

Value windowed(std::optional<double> WindowFigures::*member)
{
    return [member](const RunMetrics& run) { return run.window ? (*run.window).*member : std::nullopt; };
}

Value windowed(std::int64_t WindowFigures::*member)
{
    return [member](const RunMetrics& run) {
        return run.window ? std::optional<double>(static_cast<double>((*run.window).*member)) : std::nullopt;
    };
}

class Table
{
public:
    void rate(const char* name, const char* title, const char* unit, const char* formula, Value value)
    {
        add({name, title, unit, formula, Better::Higher, false, 2, std::move(value), {}});
    }
    void share(const char* name, const char* title, const char* formula, Better better, Value value)
    {
        add({name, title, "%", formula, better, true, 2, std::move(value), {}});
    }
    void figure(const char* name, const char* title, const char* unit, const char* formula, Better better,
                int decimals, Value value)
    {
        add({name, title, unit, formula, better, false, decimals, std::move(value), {}});
    }
    void count(const char* name, const char* title, const char* formula, Better better, Value value)
    {
        figure(name, title, "", formula, better, 0, std::move(value));
    }

    // mean, median, p90, p95 and p99 of a latency in seconds, or of what has another unit.
    void summary(const std::string& name, const std::string& title, const std::string& formula,
                 Summary RunMetrics::*member, int decimals, const std::string& unit = "s")
    {
        summaryOf(
            name, title, formula, [member](const RunMetrics& run) { return run.*member; }, decimals, unit);
    }
    void summaryOf(const std::string& name, const std::string& title, const std::string& formula,
                   const std::function<Summary(const RunMetrics&)>& summary_of, int decimals,
                   const std::string& unit)
    {
        struct Part
        {
            const char* suffix;
            const char* words;
            std::optional<double> Summary::*value;
        };
        static constexpr Part k_parts[] = {{"mean", "mean", &Summary::mean},
                                           {"median", "median", &Summary::median},
                                           {"p90", "90th percentile", &Summary::p90},
                                           {"p95", "95th percentile", &Summary::p95},
                                           {"p99", "99th percentile", &Summary::p99}};
        for (const Part& part : k_parts)
            add({name + "." + part.suffix, title + ", " + part.words, unit,
                 formula + "; percentiles by linear interpolation, rank = p * (n - 1)", Better::Lower, false,
                 decimals,
                 [summary_of, value = part.value](const RunMetrics& run) { return summary_of(run).*value; },
                 [summary_of](const RunMetrics& run) { return summary_of(run).n; }});
    }

    std::vector<MetricDefinition> take() { return std::move(m_lines); }

private:
    void add(MetricDefinition line) { m_lines.push_back(std::move(line)); }

    std::vector<MetricDefinition> m_lines;
};

void addRates(Table& table)
{
    table.rate("output_token_throughput", "Output tokens per second", "tokens/s",
               "useful output tokens / makespan", field(&RunMetrics::output_token_throughput));
    table.rate("request_throughput", "Requests per second", "requests/s", "completed requests / makespan",
               field(&RunMetrics::request_throughput));
    table.rate("steady_request_throughput", "Requests per second, steady window", "requests/s",
               "requests completed in the steady window / its length; the window runs from the first to the "
               "last moment "
               "at which all slots were occupied",
               field(&RunMetrics::steady_request_throughput));
    table.rate("ssjf_throughput_25", "Requests per second at 25 % of the completions (SSJF)", "requests/s",
               "k / (time from the first arrival to the k-th completion), k = ceil(n / 4)",
               field(&RunMetrics::ssjf_throughput_25));
    table.rate("goodput", "Goodput", "requests/s", "requests completed within every SLO / makespan",
               field(&RunMetrics::goodput));
    table.figure("makespan_s", "Makespan", "s", "last completion - first arrival", Better::Lower, 2,
                 field(&RunMetrics::makespan_s));
}

void addRatios(Table& table)
{
    table.share("effective_token_ratio", "Effective token ratio (paper)",
                "output tokens of delivered requests / sum over these requests of the steps their delivered "
                "batch ran",
                Better::Higher, field(&RunMetrics::effective_token_ratio));
    table.share("effective_token_ratio_strict", "Effective token ratio (strict)",
                "useful steps / all steps of occupied slots, abandoned attempts included", Better::Higher,
                field(&RunMetrics::effective_token_ratio_strict));
    table.figure(
        "average_length", "Average length (paper)", "steps",
        "mean over delivered requests of the steps their delivered batch ran (the published code adds 1)",
        Better::Lower, 1, field(&RunMetrics::average_length));
    table.figure("average_length_strict", "Average length (strict)", "steps",
                 "mean over delivered requests of the steps their delivered batch and those of their "
                 "abandoned attempts "
                 "ran",
                 Better::Lower, 1, field(&RunMetrics::average_length_strict));
    table.share("decode_padding_waste", "Decode padding waste",
                "(padding + abandoned steps) / all steps of occupied slots", Better::Lower,
                field(&RunMetrics::decode_padding_waste));
    table.share("prefill_padding_waste", "Prefill padding waste",
                "1 - sum of prompt tokens / sum over batches of rows * padded prompt length", Better::Lower,
                field(&RunMetrics::prefill_padding_waste));
}

void addSteps(Table& table)
{
    const auto kind = [&](const char* name, const char* title, const char* what, Better better,
                          std::int64_t StepKinds::*member) {
        const std::string formula = std::string(what) + ", as a share of all steps of occupied slots";
        table.share(name, title, formula.c_str(), better, stepShare(member));
    };
    kind("shares.useful", "Useful steps", "steps that yielded a wanted output token", Better::Higher,
         &StepKinds::useful);
    kind("shares.end", "End steps", "steps that yielded the end of sequence", Better::Neither,
         &StepKinds::end);
    kind("shares.chunk", "Chunk steps", "steps that read part of a prompt and yielded no token",
         Better::Neither, &StepKinds::chunk);
    kind("shares.padding", "Padding steps", "steps of a slot whose row had ended", Better::Lower,
         &StepKinds::padding);
    kind("shares.abandoned", "Abandoned steps", "steps of attempts that were thrown away", Better::Lower,
         &StepKinds::abandoned);
    kind("shares.stalled", "Stalled steps", "steps of a resident row that did not advance", Better::Lower,
         &StepKinds::stalled);
    table.count("useful_output_tokens", "Useful output tokens",
                "generated ids of delivered attempts, without the end of sequence", Better::Neither,
                field(&RunMetrics::useful_output_tokens));
    table.count("decode_steps", "Decode steps", "sum over batches of the steps (forward passes) each ran",
                Better::Lower, field(&RunMetrics::decode_steps));
    table.count("batches", "Batches", "batches that were formed; none in continuous mode", Better::Neither,
                [](const RunMetrics& run) {
                    return run.batches ? std::optional<double>(static_cast<double>(*run.batches))
                                       : std::nullopt;
                });
    table.share("mean_occupancy", "Occupancy",
                "occupied slots / slots, mean over the makespan; slots whose rows burn on are occupied",
                Better::Higher, field(&RunMetrics::mean_occupancy));
}

void addLatencies(Table& table)
{
    table.summary("e2el_s", "End-to-end latency (JCT)", "completed - arrival", &RunMetrics::e2el_s, 2);
    table.summary("ttft_s", "Time to first token", "first token - arrival", &RunMetrics::ttft_s, 3);
    table.summary("service_ttft_s", "Service time to first token", "first token - first time in a batch",
                  &RunMetrics::service_ttft_s, 3);
    table.summary("tpot_s", "Time per output token",
                  "(last token - first token) / (output tokens - 1), one value a request; none for one token",
                  &RunMetrics::tpot_s, 4);
    table.summary("tpot_incl_s", "Time per output token, first included",
                  "(last token - arrival) / output tokens, one value a request", &RunMetrics::tpot_incl_s, 4);
    table.summary("itl_s", "Inter-token latency",
                  "every gap between two tokens of a request, pooled over requests, so that long answers "
                  "weigh more than "
                  "in the time per output token",
                  &RunMetrics::itl_s, 4);
    table.summary("queueing_delay_s", "Queueing delay", "first time in a batch - arrival",
                  &RunMetrics::queueing_delay_s, 2);
    table.figure("max_queueing_delay_s", "Longest queueing delay", "s",
                 "largest (first time in a batch - arrival)", Better::Lower, 2,
                 field(&RunMetrics::max_queueing_delay_s));
    table.summary("slowdown", "Slowdown",
                  "(completed - arrival) / (time of the request alone under the same cost model); none for "
                  "measured runs without a calibrated cost model",
                  &RunMetrics::slowdown, 2, "");
    table.figure("jains_index", "Fairness (Jain's index)", "",
                 "(sum of slowdowns) squared / (requests * sum of squared slowdowns); 1: all fare alike",
                 Better::Higher, 3, field(&RunMetrics::jains_index));
    table.count("starved_requests", "Starved requests",
                "requests that waited longer than the ageing bound and were promoted; none without ageing",
                Better::Lower, [](const RunMetrics& run) {
                    return run.starved_requests
                               ? std::optional<double>(static_cast<double>(*run.starved_requests))
                               : std::nullopt;
                });
    table.count("preemptions", "Preemptions",
                "times a running request lost its place; one request may lose it several times",
                Better::Lower, field(&RunMetrics::preemptions));
    table.share(
        "queue_busy_share", "Share of time somebody waited",
        "time during which at least one request waited / makespan; without a queue no order can matter",
        Better::Neither, field(&RunMetrics::queue_busy_share));
    table.share("queue_inversions", "Queue inversions",
                "pairs of which the longer answer was served before the shorter one / pairs", Better::Lower,
                field(&RunMetrics::queue_inversions));
}

void addPrediction(Table& table)
{
    table.share("predictor_time_share", "Predictor time share", "sum of prediction time / makespan",
                Better::Lower, field(&RunMetrics::predictor_time_share));
    table.count("rerun_requests", "Requests run again", "requests of which a second attempt was started",
                Better::Lower, field(&RunMetrics::rerun_requests));
    table.share("rerun_ratio", "Re-run ratio", "requests run again / requests", Better::Lower,
                field(&RunMetrics::rerun_ratio));
    table.share("rerun_token_share", "Re-run token share", "tokens thrown away / tokens generated",
                Better::Lower, field(&RunMetrics::rerun_token_share));
    table.figure("prediction_error.mae", "Prediction error (MAE)", "tokens",
                 "mean of |predicted - actual| over delivered requests with a prediction; an answer that was "
                 "cut at the cap counts as one of the cap, and so does a longer prediction of it",
                 Better::Lower, 1, prediction(&PredictionError::mae));
    table.figure("prediction_error.rmse", "Prediction error (RMSE)", "tokens",
                 "root of the mean of (predicted - actual) squared", Better::Lower, 1,
                 prediction(&PredictionError::rmse));
    table.share("prediction_error.acc50", "Predictions within 50 tokens",
                "share with |predicted - actual| <= 50", Better::Higher, prediction(&PredictionError::acc50));
    table.share("prediction_error.acc100", "Predictions within 100 tokens",
                "share with |predicted - actual| <= 100", Better::Higher,
                prediction(&PredictionError::acc100));
    table.share("prediction_error.under_prediction_rate", "Under-predictions",
                "share with predicted < actual", Better::Lower,
                prediction(&PredictionError::under_prediction_rate));
    table.figure(
        "prediction_error.r2", "Prediction R squared", "",
        "1 - sum of squared errors / sum of squared deviations of the actual lengths from their mean",
        Better::Higher, 3, prediction(&PredictionError::r2));
    table.figure("prediction_error.kendall_tau_b", "Kendall tau-b", "",
                 "(concordant - discordant pairs) / root of (pairs untied in the prediction * pairs untied "
                 "in the length)",
                 Better::Higher, 3, prediction(&PredictionError::kendall_tau_b));
    table.figure("prediction_error.spearman", "Spearman's rho", "",
                 "correlation of the ranks of predicted and actual lengths", Better::Higher, 3,
                 prediction(&PredictionError::spearman));
    table.count("failed_predictions", "Failed predictions",
                "requests on which the predictor failed (the cap was used)", Better::Lower,
                field(&RunMetrics::failed_predictions));
}

void addRun(Table& table)
{
    table.count("requests", "Requests", "requests of the workload", Better::Neither,
                field(&RunMetrics::requests));
    table.count("completed", "Completed", "requests delivered", Better::Higher,
                field(&RunMetrics::completed));
    table.count("failed", "Failed", "requests that ended by a failure", Better::Lower,
                field(&RunMetrics::failed));
    table.figure(
        "achieved_arrival_rate", "Arrivals, achieved", "requests/s",
        "(requests - 1) / (last arrival - first arrival): what the run was given, beside the rate that "
        "was asked; none for fewer than 2 requests or when all arrive at once",
        Better::Neither, 2, field(&RunMetrics::achieved_arrival_rate));
    table.summary("dispatch_lateness_s", "Lateness of dispatch",
                  "moment at which the loop took the request in - its arrival; the loop takes requests in "
                  "between two passes. Latencies count from the arrival and hold it",
                  &RunMetrics::dispatch_lateness_s, 4);
    table.count("kv_allocated_peak_bytes", "KV cache allocated, peak (bytes)",
                "largest sample of the KV cache allocated", Better::Lower,
                knownBytes(&RunMetrics::kv_allocated_peak_bytes));
    table.count("kv_used_peak_bytes", "KV cache used, peak (bytes)",
                "largest sample of the KV cache holding tokens", Better::Neither,
                knownBytes(&RunMetrics::kv_used_peak_bytes));
    table.count("weights_bytes", "Weights (bytes)", "memory of the model's weights", Better::Lower,
                knownBytes(&RunMetrics::weights_bytes));
}

// The part of the run that the session looks at by itself; every other figure is of the whole run.
void addWindow(Table& table)
{
    const auto summary = [&](const char* name, const char* title, const char* formula,
                             Summary WindowFigures::*member, int decimals) {
        table.summaryOf(
            name, title, std::string(formula) + ", of the requests that arrived in the window",
            [member](const RunMetrics& run) { return run.window ? (*run.window).*member : Summary{}; },
            decimals, "s");
    };
    table.rate("window.output_token_throughput", "In the window: output tokens per second", "tokens/s",
               "useful output tokens whose pass ended in the window / its length",
               windowed(&WindowFigures::output_token_throughput));
    table.rate("window.request_throughput", "In the window: requests per second", "requests/s",
               "requests completed in the window / its length", windowed(&WindowFigures::request_throughput));
    summary("window.e2el_s", "In the window: end-to-end latency", "completed - arrival",
            &WindowFigures::e2el_s, 2);
    summary("window.ttft_s", "In the window: time to first token", "first token - arrival",
            &WindowFigures::ttft_s, 3);
    summary("window.queueing_delay_s", "In the window: queueing delay", "first time in a batch - arrival",
            &WindowFigures::queueing_delay_s, 2);
    const auto bound = [&](const char* name, const char* title, const char* formula,
                           Nanos TimeSpan::*member) {
        table.figure(name, title, "s", formula, Better::Neither, 2, [member](const RunMetrics& run) {
            return run.window ? std::optional<double>(toSeconds(run.window->window.*member)) : std::nullopt;
        });
    };
    bound("window.from_s", "The window begins", "from the run's start, what the warm-up leaves",
          &TimeSpan::from_ns);
    bound("window.to_s", "The window ends", "from the run's start, at the last completion at the latest",
          &TimeSpan::to_ns);
    table.count("window.requests_before", "Left out: requests before the window",
                "requests that arrived before the window", Better::Neither,
                windowed(&WindowFigures::requests_before));
    table.count("window.requests_after", "Left out: requests after the window",
                "requests that arrived after the window", Better::Neither,
                windowed(&WindowFigures::requests_after));
    table.count("window.completions_outside", "Left out: completions outside the window",
                "requests completed before or after the window", Better::Neither,
                windowed(&WindowFigures::completions_outside));
    table.count("window.tokens_outside", "Left out: useful tokens outside the window",
                "useful output tokens whose pass ended before or after the window", Better::Neither,
                windowed(&WindowFigures::tokens_outside));
}

std::vector<MetricDefinition> makeDefinitions()
{
    Table table;
    addRates(table);
    addRatios(table);
    addSteps(table);
    addLatencies(table);
    addPrediction(table);
    addRun(table);
    addWindow(table);
    return table.take();
}

} // namespace

const std::vector<MetricDefinition>& metricDefinitions()
{
    static const std::vector<MetricDefinition> s_definitions = makeDefinitions();
    return s_definitions;
}

const MetricDefinition* findMetric(const std::string& name)
{
    const auto& all = metricDefinitions();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& line) { return line.name == name; });
    return found == all.end() ? nullptr : &*found;
}

} // namespace batchscope
