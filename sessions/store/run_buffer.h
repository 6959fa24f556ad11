// SPDX-License-Identifier: GPL-3.0-or-later
// What a run has said and the store has not yet written. Any thread adds; the writer thread alone flushes.
#pragma once

#include "sessions/event_codec.h"
#include "sessions/run_store.h"

#include <SQLiteCpp/Database.h>
#include <mutex>
#include <string>
#include <vector>

namespace batchscope::sessions {

class RunBuffer
{
public:
    explicit RunBuffer(RunId run) : m_run(run) {}

    RunId run() const { return m_run; }
    void append(const std::vector<Event>& events);
    void appendTokens(RequestIndex request, std::uint16_t attempt, const std::vector<TokenId>& ids);
    bool isEmpty() const;

    // Writer thread, within a transaction. write() puts everything into the database; keepWritten() follows
    // when the transaction was committed, restore() when it was not: then nothing is lost and the next flush
    // writes it again.
    void write(SQLite::Database& database);
    void keepWritten();
    void restore();

    void setError(const std::string& error); // the first is kept
    std::string error() const;

private:
    void writeEvents(SQLite::Database& database);
    void writeTokens(SQLite::Database& database);

    const RunId m_run;
    mutable std::mutex m_mutex; // guards the next three
    std::vector<Event> m_events;
    std::vector<TokenSpan> m_tokens;
    std::string m_error;

    // Writer thread only. The last chunk is written anew until it is full, so that chunks are large however
    // slowly events come.
    std::vector<Event> m_tail;         // events of the last chunk that are in the database
    std::int64_t m_chunk = 0;          // number of the last chunk
    std::int64_t m_span = 0;           // number of the next token span
    std::vector<Event> m_taken_events; // being written
    std::vector<TokenSpan> m_taken_tokens;
};

} // namespace batchscope::sessions
