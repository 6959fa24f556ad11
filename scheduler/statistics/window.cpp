// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/statistics/window.h"

#include "scheduler/folds/residents.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

namespace batchscope {
namespace {

bool holds(TimeSpan window, Nanos at_ns)
{
    return window.from_ns <= at_ns && at_ns < window.to_ns;
}

// Just past an instant, so that what happens at it lies in the window.
constexpr Nanos past(Nanos at_ns)
{
    return at_ns + 1;
}

std::optional<Nanos> lastCompletion(const std::vector<RequestFigures>& requests)
{
    std::optional<Nanos> last;
    for (const RequestFigures& request : requests)
        if (request.completed_ns) last = std::max(last.value_or(0), *request.completed_ns);
    return last;
}

std::vector<RequestFigures> byArrival(std::span<const Event> log)
{
    std::vector<RequestFigures> requests = requestFigures(log);
    std::stable_sort(requests.begin(), requests.end(), [](const RequestFigures& a, const RequestFigures& b) {
        return a.arrival_ns < b.arrival_ns;
    });
    return requests;
}

// Passes of a span that end in the window.
std::int64_t passesIn(const Steps& steps, TimeSpan window)
{
    const auto endedBefore = [&steps](Nanos bound) {
        std::uint32_t low = 0, high = steps.count; // ends ascend
        while (low < high) {
            const std::uint32_t middle = low + (high - low) / 2;
            if (stepEndNs(steps, middle) < bound)
                low = middle + 1;
            else
                high = middle;
        }
        return std::int64_t{low};
    };
    return endedBefore(window.to_ns) - endedBefore(window.from_ns);
}

// Useful tokens of each attempt, inside the window and in all: they count once the attempt is delivered.
class TokenFold
{
public:
    explicit TokenFold(TimeSpan window) : m_window(window) {}

    void add(const Event& event)
    {
        if (const auto* formed = std::get_if<BatchFormed>(&event.body)) {
            m_residents.form(*formed);
        } else if (const auto* steps = std::get_if<Steps>(&event.body)) {
            addSteps(*steps);
        } else if (const auto* ended = std::get_if<RowEnded>(&event.body)) {
            m_residents.end(*ended);
            if (isDelivered(ended->cause)) deliver(*ended);
        } else if (const auto* batch = std::get_if<BatchEnded>(&event.body)) {
            m_residents.endBatch(batch->batch);
        } else if (const auto* abandoned = std::get_if<AttemptAbandoned>(&event.body)) {
            m_yielded.erase(abandoned->request);
        } else if (const auto* preempted = std::get_if<Preempted>(&event.body)) {
            m_residents.preempt(*preempted);
        } else if (const auto* resumed = std::get_if<Resumed>(&event.body)) {
            m_residents.resume(*resumed);
        }
    }
    std::int64_t inside() const { return m_inside; }
    std::int64_t outside() const { return m_all - m_inside; }

private:
    struct Yielded
    {
        std::int64_t inside = 0;
        bool last_inside = false; // its latest yield: the end of sequence, if the row ends by itself
    };

    void addSteps(const Steps& steps)
    {
        if (steps.count == 0) return;
        const std::int64_t inside = passesIn(steps, m_window);
        const bool last_inside = holds(m_window, stepEndNs(steps, steps.count - 1));
        m_residents.advance(steps,
                            [&](const Resident& resident, std::uint32_t, std::uint32_t, StepKind kind) {
                                if (kind != StepKind::Useful) return;
                                Yielded& yielded = m_yielded[resident.row.request];
                                yielded.inside += inside;
                                yielded.last_inside = last_inside;
                            });
    }
    void deliver(const RowEnded& ended)
    {
        const Yielded yielded = m_yielded[ended.request];
        const bool end_inside = spendsEndStep(ended.cause) && yielded.last_inside;
        m_inside += yielded.inside - (end_inside ? 1 : 0);
        m_all += ended.output_tokens;
        m_yielded.erase(ended.request);
    }

    TimeSpan m_window;
    Residents m_residents;
    std::map<RequestIndex, Yielded> m_yielded; // attempts in hand
    std::int64_t m_inside = 0, m_all = 0;
};

void addRequest(WindowFigures& figures, const RequestFigures& request, std::vector<double>& e2el,
                std::vector<double>& ttft, std::vector<double>& delay)
{
    if (request.completed_ns)
        (holds(figures.window, *request.completed_ns) ? figures.completions : figures.completions_outside) +=
            1;
    if (request.arrival_ns < figures.window.from_ns) {
        ++figures.requests_before;
        return;
    }
    if (request.arrival_ns >= figures.window.to_ns) {
        ++figures.requests_after;
        return;
    }
    if (!request.completed_ns) return;
    e2el.push_back(toSeconds(*request.completed_ns - request.arrival_ns));
    if (request.first_token_ns) ttft.push_back(toSeconds(*request.first_token_ns - request.arrival_ns));
    if (request.scheduled_ns) delay.push_back(toSeconds(*request.scheduled_ns - request.arrival_ns));
}

} // namespace

std::optional<TimeSpan> afterWarmUp(std::span<const Event> log, const WarmUp& warm_up)
{
    const std::vector<RequestFigures> requests = byArrival(log);
    const std::optional<Nanos> last = lastCompletion(requests);
    if (!last) return std::nullopt;
    Nanos from_ns = requests.front().arrival_ns + warm_up.duration_ns.value_or(0);
    if (const auto left_out =
            static_cast<std::size_t>(std::max<std::int64_t>(0, warm_up.requests.value_or(0)));
        left_out > 0) {
        if (left_out >= requests.size()) return std::nullopt;
        from_ns = std::max(from_ns, requests[left_out].arrival_ns);
    }
    if (from_ns > *last) return std::nullopt;
    return TimeSpan{from_ns, past(*last)};
}

std::optional<TimeSpan> measuredWindow(std::span<const Event> log, const MeasuredPart& part)
{
    std::optional<TimeSpan> window = afterWarmUp(log, part.warm_up);
    if (!window || !part.window) return window;
    window->from_ns = std::max(window->from_ns, part.window->from_ns);
    window->to_ns = std::min(window->to_ns, part.window->to_ns);
    if (window->to_ns <= window->from_ns) return std::nullopt;
    return window;
}

std::string windowWords(const WindowFigures& figures)
{
    return fmt::format("{:.2f} s to {:.2f} s of the run: {} requests arrived before it and {} after it, {} "
                       "completions and {} useful tokens lie outside it and are left out",
                       toSeconds(figures.window.from_ns), toSeconds(figures.window.to_ns),
                       figures.requests_before, figures.requests_after, figures.completions_outside,
                       figures.tokens_outside);
}

std::optional<std::int64_t> settledAfter(std::span<const double> values)
{
    constexpr std::size_t k_batch = 5;
    constexpr std::size_t k_least_batches = 10;
    const std::size_t batches = values.size() / k_batch;
    if (batches < k_least_batches) return std::nullopt;
    std::vector<double> means(batches);
    for (std::size_t i = 0; i < batches; ++i)
        means[i] = std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(i * k_batch),
                                   values.begin() + static_cast<std::ptrdiff_t>((i + 1) * k_batch), 0.0) /
                   k_batch;
    // From the back: sum of squared distances from the mean of batches d...end, over their number squared.
    double mean = 0, squares = 0, best = std::numeric_limits<double>::infinity();
    std::size_t cut = 0;
    const std::size_t last_cut = batches / 2;
    for (std::size_t d = batches; d-- > 0;) {
        const auto n = static_cast<double>(batches - d);
        const double step = means[d] - mean;
        mean += step / n;
        squares += step * (means[d] - mean);                    // B. P. Welford, Technometrics 4 (1962)
        if (d > last_cut || squares / (n * n) > best) continue; // few values at the end may agree by chance
        best = squares / (n * n);
        cut = d;
    }
    if (cut == last_cut) return std::nullopt;
    return static_cast<std::int64_t>(cut * k_batch);
}

std::optional<TimeSpan> settledWindow(std::span<const Event> log)
{
    const std::vector<RequestFigures> requests = byArrival(log);
    std::vector<double> delays;
    std::vector<Nanos> arrivals;
    for (const RequestFigures& request : requests) {
        if (!request.scheduled_ns) continue;
        delays.push_back(toSeconds(*request.scheduled_ns - request.arrival_ns));
        arrivals.push_back(request.arrival_ns);
    }
    const auto settled = settledAfter(delays);
    if (!settled) return std::nullopt;
    const TimeSpan window{arrivals[static_cast<std::size_t>(*settled)], arrivals.back()};
    if (window.to_ns <= window.from_ns) return std::nullopt; // all at once: nothing but a start
    return window;
}

WindowFigures windowFigures(std::span<const Event> log, TimeSpan window)
{
    WindowFigures figures;
    figures.window = window;
    std::vector<double> e2el, ttft, delay;
    for (const RequestFigures& request : requestFigures(log))
        addRequest(figures, request, e2el, ttft, delay);
    figures.e2el_s = summarize(std::move(e2el));
    figures.ttft_s = summarize(std::move(ttft));
    figures.queueing_delay_s = summarize(std::move(delay));
    TokenFold tokens(window);
    for (const Event& event : log)
        tokens.add(event);
    figures.tokens = tokens.inside();
    figures.tokens_outside = tokens.outside();
    if (const double length_s = toSeconds(window.to_ns - window.from_ns); length_s > 0) {
        figures.request_throughput = static_cast<double>(figures.completions) / length_s;
        figures.output_token_throughput = static_cast<double>(figures.tokens) / length_s;
    }
    return figures;
}

} // namespace batchscope
