// SPDX-License-Identifier: GPL-3.0-or-later
// Runs the loop on a fake backend and keeps everything it said.
#pragma once

#include "scheduler/event_log.h"
#include "scheduler/loop.h"
#include "tests/support/fake_backend.h"

#include <iterator>
#include <map>
#include <utility>
#include <vector>

namespace batchscope::tests {

class KeptLog : public EventSink
{
public:
    void append(std::vector<Event> events) override
    {
        m_largest_batch = std::max(m_largest_batch, events.size());
        log.insert(log.end(), std::make_move_iterator(events.begin()), std::make_move_iterator(events.end()));
    }
    void appendTokens(RequestIndex request, std::uint16_t attempt, const std::vector<TokenId>& ids) override
    {
        auto& kept = tokens[{request, attempt}];
        kept.insert(kept.end(), ids.begin(), ids.end());
    }
    std::size_t largestBatch() const { return m_largest_batch; }

    EventLog log;
    std::map<std::pair<RequestIndex, std::uint16_t>, std::vector<TokenId>> tokens;

private:
    std::size_t m_largest_batch = 0;
};

struct RecordedRun
{
    RunStatus status = RunStatus::Interrupted;
    EventLog log;
    std::map<std::pair<RequestIndex, std::uint16_t>, std::vector<TokenId>> tokens;

    template <typename Body>
    std::vector<Body> all() const
    {
        std::vector<Body> found;
        for (const Event& event : log)
            if (const auto* body = std::get_if<Body>(&event.body)) found.push_back(*body);
        return found;
    }
    template <typename Body>
    std::vector<Nanos> times() const
    {
        std::vector<Nanos> found;
        for (const Event& event : log)
            if (std::holds_alternative<Body>(event.body)) found.push_back(event.at_ns);
        return found;
    }
    // The attempt that was delivered, by request.
    std::map<RequestIndex, RowEnded> delivered() const
    {
        std::map<RequestIndex, RowEnded> ends;
        for (const RowEnded& end : all<RowEnded>())
            if (end.cause != RowEnd::Limit) ends[end.request] = end;
        return ends;
    }
    std::int64_t usefulTokens() const
    {
        std::int64_t sum = 0;
        for (const auto& [request, end] : delivered())
            sum += end.output_tokens;
        return sum;
    }
    // Requests of each batch, in row order.
    std::vector<std::vector<RequestIndex>> batches() const
    {
        std::vector<std::vector<RequestIndex>> found;
        for (const BatchFormed& formed : all<BatchFormed>()) {
            found.emplace_back();
            for (const RowStart& row : formed.rows)
                found.back().push_back(row.request);
        }
        return found;
    }
};

inline RecordedRun runOn(Backend& backend, Clock& clock, const Workload& workload, const Strategy& strategy,
                         LengthPredictor* predictor = nullptr, RunControl* control = nullptr,
                         const std::stop_token& stop = {})
{
    static const Registry k_registry = Registry::withBuiltinParts();
    KeptLog kept;
    RunControl own;
    RecordedRun run;
    run.status = runLoop({&workload, &strategy, &k_registry, &backend, predictor, &clock}, kept,
                         control != nullptr ? *control : own, stop);
    run.log = std::move(kept.log);
    run.tokens = std::move(kept.tokens);
    return run;
}

// On a fresh backend in virtual time.
inline RecordedRun runVirtually(const Workload& workload, const Strategy& strategy, FakeOptions options = {})
{
    FakeBackend backend(std::move(options));
    VirtualClock clock;
    return runOn(backend, clock, workload, strategy);
}

} // namespace batchscope::tests
