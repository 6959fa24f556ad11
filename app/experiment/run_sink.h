// SPDX-License-Identifier: GPL-3.0-or-later
// Where a run's events go: the log in memory, the store, and whoever listens. A store that fails is told
// once; the run goes on and stays whole in memory.
#pragma once

#include "app/experiment/experiment.h"

#include <memory>
#include <string>

namespace batchscope::app {

// The loop asks for one before there is a run to keep: a warm-up leaves nothing.
class NoSink final : public EventSink
{
public:
    void append(std::vector<Event>) override {}
};

class RunSink final : public EventSink
{
public:
    // `writer` may be null: not kept.
    RunSink(ExperimentListener& listener, std::unique_ptr<sessions::RunWriter> writer);

    void append(std::vector<Event> events) override;
    void appendTokens(RequestIndex request, std::uint16_t attempt, const std::vector<TokenId>& ids) override;
    // Stores the final record; a failure is told, not thrown.
    void finish(const sessions::RunRecord& record);

    const std::string& storeError() const { return m_store_error; }
    const EventLog& log() const { return m_log; }
    EventLog takeLog() { return std::move(m_log); }
    sessions::AttemptTokens takeTokens() { return std::move(m_tokens); }

private:
    void tellOnce(const std::string& error);
    ExperimentListener& m_listener;
    std::unique_ptr<sessions::RunWriter> m_writer;
    std::string m_store_error;
    EventLog m_log;
    sessions::AttemptTokens m_tokens;
};

} // namespace batchscope::app
