// SPDX-License-Identifier: GPL-3.0-or-later
// Writes event logs by hand: single events on a clock of its own, whole static batches from the rows'
// lengths, random runs, and the same log with its spans cut differently.
#pragma once

#include "scheduler/event_log.h"

#include <cstdint>
#include <map>
#include <vector>

namespace batchscope::tests {

struct RowSpec
{
    RequestIndex request = 0;
    int output_tokens = 1;
    RowEnd end = RowEnd::Length;
    int prompt_tokens = 10;
    std::uint16_t attempt = 0;
    int steps() const { return output_tokens + (spendsEndStep(end) ? 1 : 0); }
};

struct PassTimes // of a batch: its first pass, the second, and what each later one takes more
{
    Picos first_ps = 1'000'000'000;
    Picos second_ps = 1'000'000'000;
    Picos growth_ps = 0;
};

RunStarted runOf(std::uint32_t requests, std::uint32_t slot_count, Delivery delivery = Delivery::Streamed);

class LogBuilder
{
public:
    explicit LogBuilder(RunStarted started);

    LogBuilder& at(Nanos at_ns); // moves the clock there
    LogBuilder& wait(Nanos ns) { return at(now() + ns); }
    Nanos now() const { return m_now_ps / k_picos_per_nano; }

    LogBuilder& add(EventBody body);                                                    // now
    LogBuilder& arrive(RequestIndex request, Nanos arrival_ns, int prompt_tokens = 10); // taken in now
    LogBuilder& predict(RequestIndex request, int tokens, Nanos elapsed_ns = 0); // the clock moves by elapsed
    LogBuilder& abandon(RequestIndex request, BatchIndex batch, int tokens, std::uint16_t attempt = 0);

    // A static batch from its forming to its end, slot i = rows[i]; prompts are padded to the longest.
    // `measured` writes durations instead of picosecond spans. Returns its index.
    BatchIndex batch(const std::vector<RowSpec>& rows, PassTimes times = {},
                     BatchKind kind = BatchKind::Static, bool measured = false);

    const EventLog& finish(RunStatus status = RunStatus::Completed);
    const EventLog& log() const { return m_log; }

private:
    void span(BatchIndex batch, std::uint32_t first_step, std::uint32_t count, const PassTimes& times,
              bool measured, const std::vector<RowSpec>* read);

    EventLog m_log;
    std::map<RequestIndex, Nanos> m_arrivals;
    Picos m_now_ps = 0;
    BatchIndex m_batches = 0;
};

// Requests that arrive at random, served in static batches; some rows are stopped by a limit, thrown away and
// run again, some reach the cap, and now and then one fails. Delivery, lengths and pass times follow from the
// seed.
EventLog randomLog(std::uint64_t seed, std::uint32_t requests, std::uint32_t rows);

// The same run with every span cut at random passes.
EventLog splitSpans(const EventLog& log, std::uint64_t seed);

} // namespace batchscope::tests
