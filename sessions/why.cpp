// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/why.h"

#include "sessions/figure_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace batchscope::sessions {

namespace {

// Smaller changes than these are not worth a sentence.
constexpr double k_notable_ratio = 0.02;
constexpr double k_notable_share = 0.01;
constexpr double k_idle_queue = 0.2; // busy for less of the time: order can hardly matter

std::optional<double> ratioOf(const std::optional<double>& value, const std::optional<double>& baseline)
{
    if (!value || !baseline || *baseline <= 0) return std::nullopt;
    return *value / *baseline;
}

std::optional<double> ratioOf(std::int64_t value, std::int64_t baseline)
{
    return ratioOf(std::optional(static_cast<double>(value)), std::optional(static_cast<double>(baseline)));
}

bool isNotable(const std::optional<double>& ratio)
{
    return ratio && std::abs(*ratio - 1) > k_notable_ratio;
}

std::string count(std::int64_t value)
{
    return grouped(static_cast<double>(value), 0);
}

double shareOf(std::int64_t part, const StepKinds& steps)
{
    return steps.total() > 0 ? static_cast<double>(part) / static_cast<double>(steps.total()) : 0;
}

std::optional<double> rowsPerPass(const RunMetrics& m)
{
    return ratioOf(m.steps.total(), m.decode_steps);
}

std::optional<double> msPerPass(const RunMetrics& m)
{
    if (!m.makespan_s || m.decode_steps <= 0) return std::nullopt;
    return *m.makespan_s * (1 - m.predictor_time_share.value_or(0)) * 1000 /
           static_cast<double>(m.decode_steps);
}

std::string passesSentence(const RunMetrics& base, const RunMetrics& other)
{
    const auto ratio = ratioOf(other.decode_steps, base.decode_steps);
    if (!isNotable(ratio)) return {};
    std::string text =
        fmt::format("It ran {} passes instead of {} ({} {})", count(other.decode_steps),
                    count(base.decode_steps), percent(std::abs(*ratio - 1)), *ratio < 1 ? "fewer" : "more");
    const double padding_before = shareOf(base.steps.padding, base.steps);
    const double padding_now = shareOf(other.steps.padding, other.steps);
    const bool less_padding = padding_now < padding_before - k_notable_share;
    const auto rows_before = rowsPerPass(base), rows_now = rowsPerPass(other);
    const bool more_rows = rows_before && rows_now && *rows_now > *rows_before * (1 + k_notable_ratio);
    const bool more_padding = padding_now > padding_before + k_notable_share;
    const bool explains = *ratio < 1 ? less_padding : more_padding;
    if (explains)
        text += fmt::format(": {} of its slot-steps went to rows that had already ended, against {}",
                            percent(padding_now), percent(padding_before));
    if (*ratio < 1 && more_rows)
        text += fmt::format("{} a pass carried {} rows on average instead of {}", explains ? ", and" : ":",
                            grouped(*rows_now, 1), grouped(*rows_before, 1));
    return text + ".";
}

std::string passTimeSentence(const RunMetrics& base, const RunMetrics& other)
{
    const auto before = msPerPass(base), now = msPerPass(other);
    const auto ratio = ratioOf(now, before);
    constexpr double k_notable_time = 0.05;
    if (!ratio || std::abs(*ratio - 1) <= k_notable_time) return {};
    std::string text =
        fmt::format("A pass took {} ms instead of {} ms", grouped(*now, 2), grouped(*before, 2));
    const auto rows = ratioOf(rowsPerPass(other), rowsPerPass(base));
    if (rows && (*rows > 1) == (*ratio > 1) && isNotable(rows))
        text += fmt::format(", as it carried {} rows", *rows > 1 ? "more" : "fewer");
    return text + ".";
}

std::string rerunSentence(const RunMetrics& other)
{
    if (other.rerun_requests == 0) return {};
    return fmt::format(
        "{} of {} requests outran their predicted limit and were run again; the attempts thrown away are "
        "{} of all slot-steps.",
        count(other.rerun_requests), count(other.requests),
        percent(shareOf(other.steps.abandoned, other.steps)));
}

std::string predictionSentence(const RunMetrics& other)
{
    std::string text;
    if (other.predictor_time_share && *other.predictor_time_share >= 0.0005)
        text = fmt::format("Predicting took {} of the time", percent(*other.predictor_time_share));
    if (const auto& error = other.prediction_error; error.n > 0 && error.mae == 0.0) {
        text += text.empty() ? "Predictions were the true lengths" : "; predictions were the true lengths";
    } else if (error.n > 0 && error.mae) {
        text += fmt::format("{} {} tokens off on average", text.empty() ? "Predictions were" : " and was",
                            grouped(*error.mae, 1));
        if (error.kendall_tau_b) text += fmt::format(" (Kendall τ {})", grouped(*error.kendall_tau_b, 2));
    }
    return text.empty() ? text : text + ".";
}

// Whoever orders by length does it for this.
std::string latencySentence(const RunMetrics& base, const RunMetrics& other)
{
    const auto& before = base.e2el_s.mean;
    const auto& now = other.e2el_s.mean;
    const auto ratio = ratioOf(now, before);
    if (!isNotable(ratio)) return {};
    std::string text =
        fmt::format("A request took {} s on average instead of {} s", grouped(*now, 2), grouped(*before, 2));
    const auto tail = ratioOf(other.e2el_s.p99, base.e2el_s.p99);
    const bool pays = tail && isNotable(tail) && (*tail > 1) != (*ratio > 1);
    if (pays)
        text += fmt::format(", {} the slowest hundredth {} s instead of {} s", *ratio < 1 ? "but" : "and",
                            grouped(*other.e2el_s.p99, 2), grouped(*base.e2el_s.p99, 2));
    return text + ".";
}

std::string preemptionSentence(const RunMetrics& other)
{
    if (other.preemptions == 0) return {};
    return fmt::format("Running requests lost their place {}.",
                       other.preemptions == 1 ? std::string("once") : count(other.preemptions) + " times");
}

std::string queueSentence(const RunRecord& base, const RunRecord& other)
{
    // Only where the runs are alike can an empty queue be the reason.
    const auto& busy = other.metrics->queue_busy_share;
    const auto& busy_before = base.metrics->queue_busy_share;
    if (!busy || !busy_before || std::max(*busy, *busy_before) >= k_idle_queue) return {};
    if (base.strategy.ordering == other.strategy.ordering) return {};
    if (isNotable(ratioOf(other.metrics->output_token_throughput, base.metrics->output_token_throughput)))
        return {};
    return fmt::format("Its queue was empty {} of the time: order can hardly matter.", percent(1 - *busy));
}

std::string workSentence(const RunMetrics& base, const RunMetrics& other)
{
    if (base.useful_output_tokens == other.useful_output_tokens) return {};
    return fmt::format(
        "The two did not yield the same work ({} useful tokens against {}): read the rates with that in "
        "mind.",
        count(other.useful_output_tokens), count(base.useful_output_tokens));
}

void addSentence(std::string& paragraph, const std::string& sentence)
{
    if (sentence.empty()) return;
    if (!paragraph.empty()) paragraph += ' ';
    paragraph += sentence;
}

std::string explain(const RunRecord& base, const RunRecord& other)
{
    if (!isWhole(other))
        return fmt::format("{} {}: its figures are of that part, and nothing is concluded from them.",
                           other.name, endOf(other));
    if (!base.metrics || !other.metrics)
        return fmt::format("{} cannot be explained: {} has no figures.", other.name,
                           base.metrics ? other.name : base.name);
    std::string line = rateSentence(base, other) + ".";
    addSentence(line, passesSentence(*base.metrics, *other.metrics));
    addSentence(line, passTimeSentence(*base.metrics, *other.metrics));
    addSentence(line, rerunSentence(*other.metrics));
    addSentence(line, preemptionSentence(*other.metrics));
    addSentence(line, predictionSentence(*other.metrics));
    addSentence(line, latencySentence(*base.metrics, *other.metrics));
    addSentence(line, queueSentence(base, other));
    addSentence(line, workSentence(*base.metrics, *other.metrics));
    return line;
}

} // namespace

bool isWhole(const RunRecord& run)
{
    return run.status == RunStatus::Completed;
}

std::string endOf(const RunRecord& run)
{
    if (isWhole(run)) return "was completed";
    const char* verb = !run.status                           ? "is still running"
                       : *run.status == RunStatus::Cancelled ? "was cancelled"
                       : *run.status == RunStatus::Failed    ? "failed"
                                                             : "was interrupted";
    if (!run.metrics) return verb;
    return fmt::format("{} after completing {} of {} requests", verb, count(run.metrics->completed),
                       count(run.requests));
}

std::string rateSentence(const RunRecord& base, const RunRecord& other)
{
    const auto& a = base.metrics->output_token_throughput;
    const auto& b = other.metrics->output_token_throughput;
    const auto ratio = ratioOf(b, a);
    if (!ratio)
        return fmt::format("{} cannot be compared with {} in tokens a second: one of them has none",
                           other.name, base.name);
    if (!isNotable(ratio))
        return fmt::format("{} delivered about as many useful tokens a second as {} ({} against {})",
                           other.name, base.name, grouped(*b, 1), grouped(*a, 1));
    return fmt::format("{} delivered {} the useful tokens a second of {} ({} against {})", other.name,
                       times(*ratio), base.name, grouped(*b, 1), grouped(*a, 1));
}

std::string explainRuns(const std::vector<RunRecord>& runs)
{
    if (runs.size() < 2) return {};
    const RunRecord& base = runs.front();
    if (!isWhole(base))
        return fmt::format("{} {}: its figures are of that part, and nothing is concluded from them.",
                           base.name, endOf(base));
    std::string lines;
    for (std::size_t i = 1; i < runs.size(); ++i)
        lines += (i > 1 ? "\n" : "") + explain(base, runs[i]);
    return lines;
}

} // namespace batchscope::sessions
