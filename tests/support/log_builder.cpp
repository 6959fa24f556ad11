// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/log_builder.h"

#include <algorithm>
#include <random>

namespace batchscope::tests {

RunStarted runOf(std::uint32_t requests, std::uint32_t slot_count, Delivery delivery)
{
    RunStarted started;
    started.requests = requests;
    started.slot_count = slot_count;
    started.max_new_tokens = 512;
    started.delivery = delivery;
    return started;
}

LogBuilder::LogBuilder(RunStarted started)
{
    add(started);
}

LogBuilder& LogBuilder::at(Nanos at_ns)
{
    m_now_ps = at_ns * k_picos_per_nano;
    return *this;
}

LogBuilder& LogBuilder::add(EventBody body)
{
    m_log.push_back({now(), std::move(body)});
    return *this;
}

LogBuilder& LogBuilder::arrive(RequestIndex request, Nanos arrival_ns, int prompt_tokens)
{
    m_arrivals[request] = arrival_ns;
    return add(Arrived{request, arrival_ns, prompt_tokens});
}

LogBuilder& LogBuilder::predict(RequestIndex request, int tokens, Nanos elapsed_ns)
{
    m_now_ps += elapsed_ns * k_picos_per_nano;
    Predicted predicted;
    predicted.request = request;
    predicted.kind = PredictionKind::Tokens;
    predicted.tokens = tokens;
    predicted.elapsed_ns = elapsed_ns;
    return add(predicted);
}

LogBuilder& LogBuilder::abandon(RequestIndex request, BatchIndex batch, int tokens, std::uint16_t attempt)
{
    return add(AttemptAbandoned{request, attempt, batch, tokens});
}

void LogBuilder::span(BatchIndex batch, std::uint32_t first_step, std::uint32_t count, const PassTimes& times,
                      bool measured, const std::vector<RowSpec>* read)
{
    Steps steps;
    steps.batch = batch;
    steps.first_step = first_step;
    steps.count = count;
    steps.start_ns = now();
    Picos duration_ps = times.first_ps;
    Picos growth_ps = 0;
    if (first_step > 1) {
        duration_ps = times.second_ps + times.growth_ps * (first_step - 2);
        growth_ps = times.growth_ps;
    }
    if (measured) {
        for (std::uint32_t i = 0; i < count; ++i)
            steps.durations_ns.push_back((duration_ps + growth_ps * i) / k_picos_per_nano);
    } else {
        steps.start_ps = m_now_ps;
        steps.first_ps = duration_ps;
        steps.growth_ps = growth_ps;
    }
    if (read)
        for (std::uint32_t slot = 0; slot < read->size(); ++slot)
            steps.reads.push_back({slot, (*read)[slot].prompt_tokens, true});
    if (measured)
        m_now_ps = stepEndNs(steps, count - 1) * k_picos_per_nano;
    else
        m_now_ps += spanPs(duration_ps, growth_ps, count);
    add(steps);
}

BatchIndex LogBuilder::batch(const std::vector<RowSpec>& rows, PassTimes times, BatchKind kind, bool measured)
{
    BatchFormed formed;
    formed.batch = m_batches++;
    formed.kind = kind;
    int last_step = 0;
    for (std::uint32_t slot = 0; slot < rows.size(); ++slot) {
        RowStart row;
        row.slot = slot;
        row.request = rows[slot].request;
        row.attempt = rows[slot].attempt;
        row.prompt_tokens = rows[slot].prompt_tokens;
        row.limit_is_cap = rows[slot].end != RowEnd::Limit;
        row.limit_steps =
            rows[slot].end == RowEnd::Limit || rows[slot].end == RowEnd::Cap ? rows[slot].steps() : 512;
        formed.rows.push_back(row);
        Picked picked;
        picked.request = row.request;
        picked.batch = formed.batch;
        picked.rule = kind == BatchKind::Recompute ? PickRule::Recompute : PickRule::Arrival;
        picked.waited_ns = now() - m_arrivals[row.request];
        add(picked);
        formed.padded_prompt_tokens = std::max(formed.padded_prompt_tokens, rows[slot].prompt_tokens);
        last_step = std::max(last_step, rows[slot].steps());
    }
    add(formed);
    int step = 0;
    while (step < last_step) {
        int next =
            last_step; // the span ends where the next row does; the pass that reads is a span of its own
        for (const RowSpec& row : rows)
            if (row.steps() > step) next = std::min(next, row.steps());
        if (step == 0) next = 1;
        span(formed.batch, static_cast<std::uint32_t>(step) + 1, static_cast<std::uint32_t>(next - step),
             times, measured, step == 0 ? &rows : nullptr);
        step = next;
        for (std::uint32_t slot = 0; slot < rows.size(); ++slot)
            if (rows[slot].steps() == step)
                add(RowEnded{formed.batch, slot, rows[slot].request, rows[slot].attempt, rows[slot].end,
                             rows[slot].output_tokens, static_cast<std::uint32_t>(step)});
    }
    add(BatchEnded{formed.batch, static_cast<std::uint32_t>(last_step)});
    return formed.batch;
}

const EventLog& LogBuilder::finish(RunStatus status)
{
    add(RunEnded{status, ""});
    return m_log;
}

EventLog randomLog(std::uint64_t seed, std::uint32_t requests, std::uint32_t rows)
{
    std::mt19937_64 random(seed);
    const auto draw = [&](std::uint64_t n) { return static_cast<int>(random() % n); };
    RunStarted started = runOf(requests, rows, draw(2) == 0 ? Delivery::Streamed : Delivery::BatchEnd);
    const bool measured = draw(3) == 0;
    started.measured = measured;
    LogBuilder builder(started);

    std::vector<int> prompts;
    for (RequestIndex i = 0; i < requests; ++i)
        prompts.push_back(1 + draw(90));
    for (RequestIndex next = 0; next < requests;) {
        const auto members = std::min<std::uint32_t>(rows, requests - next);
        builder.wait(draw(3'000'000));
        const Nanos now_ns = builder.now();
        std::vector<RowSpec> first, again;
        for (std::uint32_t i = 0; i < members; ++i) {
            const RequestIndex request = next + i;
            builder.arrive(request, now_ns - std::min<Nanos>(now_ns, draw(1'000'000)), prompts[request]);
            const int fate = draw(10);
            RowSpec row{request, 1 + draw(60), RowEnd::Length, prompts[request], 0};
            if (fate == 0) row.end = RowEnd::Cap;
            if (fate == 1) row.end = RowEnd::Failed;
            if (fate == 2 || fate == 3) row.end = RowEnd::Limit;
            if (fate == 4) row.output_tokens = 0; // its first pass yields the end of sequence
            first.push_back(row);
            builder.predict(request, 1 + draw(60), draw(1000));
            if (row.end == RowEnd::Limit)
                again.push_back(
                    {request, row.output_tokens + 1 + draw(40), RowEnd::Length, prompts[request], 1});
        }
        const PassTimes times{1'000'000 + draw(9'999'999), 500'000 + draw(999'999), draw(5000)};
        const BatchIndex batch = builder.batch(first, times, BatchKind::Micro, measured);
        for (const RowSpec& row : first)
            if (row.end == RowEnd::Limit) builder.abandon(row.request, batch, row.output_tokens);
        if (!again.empty()) builder.batch(again, times, BatchKind::Recompute, measured);
        builder.add(MemorySample{1000, 500 + draw(100), draw(500)});
        next += members;
    }
    return builder.finish();
}

EventLog splitSpans(const EventLog& log, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    EventLog cut;
    for (const Event& event : log) {
        const auto* whole = std::get_if<Steps>(&event.body);
        if (!whole || whole->count < 2) {
            cut.push_back(event);
            continue;
        }
        for (std::uint32_t done = 0; done < whole->count;) {
            const auto count = static_cast<std::uint32_t>(1 + random() % (whole->count - done));
            Steps part;
            part.batch = whole->batch;
            part.first_step = whole->first_step + done;
            part.count = count;
            part.start_ns = done == 0 ? whole->start_ns : stepEndNs(*whole, done - 1);
            part.stalled = whole->stalled;
            if (done == 0) part.reads = whole->reads;
            if (whole->durations_ns.empty()) {
                part.start_ps =
                    whole->start_ps + whole->first_ps * done + whole->growth_ps * done * (done - 1) / 2;
                part.first_ps = whole->first_ps + whole->growth_ps * done;
                part.growth_ps = whole->growth_ps;
            } else {
                part.durations_ns.assign(whole->durations_ns.begin() + done,
                                         whole->durations_ns.begin() + done + count);
            }
            cut.push_back({stepEndNs(part, count - 1), part});
            done += count;
        }
    }
    return cut;
}

} // namespace batchscope::tests
