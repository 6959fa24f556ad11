// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a log once, keeps what must hold, and words every fault. See event.h for what each event promises.
#pragma once

#include "scheduler/event.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace batchscope {

class LogChecker
{
public:
    void take(const Event& event);
    std::vector<std::string> finish();

private:
    struct RequestState
    {
        bool arrived = false, predicted = false, picked = false, running = false, delivered = false;
        bool owes_attempt = false;     // its last attempt was abandoned or preempted: another must follow
        bool stopped_by_limit = false; // ... and was not yet abandoned or extended
        BatchIndex picked_for = 0;
        Nanos arrival_ns = 0;
        Nanos ran_ns = 0; // until it was preempted
        int prompt_tokens = 0;
        std::uint16_t attempts = 0;
        int last_tokens = 0; // of the attempt that ended last
    };
    struct RowState
    {
        RowStart start;
        bool read = false, ended = false;
        int read_tokens = 0; // so far, of those to be read
        int yielded = 0;     // passes since its read completed, that one included, and resumed tokens
        Nanos joined_ns = 0;
    };
    struct BatchState
    {
        BatchKind kind = BatchKind::Static;
        int padded_prompt_tokens = 0;
        std::uint32_t steps = 0;
        Nanos last_end_ns = 0;
        std::map<std::uint32_t, RowState> rows; // by slot
    };

    void on(const RunStarted& event);
    void on(const Arrived& event);
    void on(const Predicted& event);
    void on(const Picked& event);
    void on(const BatchFormed& event);
    void on(const Steps& event);
    void on(const RowEnded& event);
    void on(const AttemptAbandoned& event);
    void on(const BatchEnded& event);
    void on(const Promoted& event);
    void on(const Preempted& event);
    void on(const Resumed& event);
    void on(const MemorySample& event);
    void on(const RunPaused& event);
    void on(const RunContinued& event);
    void on(const RunEnded& event);

    void addRow(BatchIndex batch, BatchState& state, const RowStart& row);
    void checkSpanTimes(const Steps& span, const BatchState& batch);
    void readPrompts(const Steps& span, BatchState& batch);
    void advanceRows(const Steps& span, BatchState& batch);
    void checkRowEnd(const RowEnded& event, const RowState& row);
    void checkCompleted();

    void fault(const std::string& text);       // of the event in hand
    RequestState* known(RequestIndex request); // arrived, else a fault and null
    BatchState* live(BatchIndex batch);        // formed and not ended, else a fault and null
    RowState* resident(BatchIndex batch, std::uint32_t slot, RequestIndex request); // else a fault and null

    std::vector<std::string> m_faults;
    std::size_t m_position = 0; // of the event in hand, from 0
    Nanos m_at_ns = 0;
    std::optional<RunStarted> m_started;
    std::optional<RunStatus> m_ended;
    bool m_paused = false;
    Nanos m_last_span_end_ns = 0;
    BatchIndex m_next_batch = 0;
    std::vector<RequestState> m_requests;
    std::map<BatchIndex, BatchState> m_batches; // live ones
};

} // namespace batchscope
